import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkChatRequest } from "@smith/testkit";
import { onTestFinished } from "vitest";

/** A model that answers `echo: <the last line>`, whoever asks and in whatever order. */
export interface EchoModel {
  readonly config: Readonly<Record<string, unknown>>;
  /** The last line of each request, in the order they came. */
  readonly lines: readonly string[];
  /** Messages in each request, the system message not counted. */
  readonly sizes: readonly number[];
  /** What a strict endpoint would have refused. */
  readonly violations: readonly string[];
  /** How many requests were open at once, at most. */
  most(): number;
}

/** @param until an answer to a line waits for this. */
export async function echoModel(
  until: (line: string) => Promise<unknown> | undefined = () => undefined,
): Promise<EchoModel> {
  const [lines, sizes, violations]: [string[], number[], string[]] = [[], [], []];
  let [open, most] = [0, 0];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (text === "") return void response.writeHead(404).end(); // the list of models
    const body = JSON.parse(text) as { messages: { role: string; content: string }[] };
    violations.push(...checkChatRequest(body));
    const line = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
    lines.push(line);
    sizes.push(body.messages.length - 1);
    most = Math.max(most, ++open);
    response.once("close", () => open--);
    await until(line);
    say(`echo: ${line}`, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const config = {
    llm_config: { api_url: `http://127.0.0.1:${port}/v1`, retry_max_retries: 0 },
    default_model: "echo",
  };
  return { config, lines, sizes, violations, most: () => most };
}

function say(content: string, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null) => {
    const chunk = { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send({ content }, null);
  send({}, "stop");
  response.end("data: [DONE]\n\n");
}

/** A promise and what lets it go on. */
export function latch(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

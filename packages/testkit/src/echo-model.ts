import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkChatRequest } from "./strict.ts";

/** A model without a script: it answers `echo: <the last line>`, whoever asks, and in whatever order. */
export interface EchoModel {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** The last line of each request, in the order they came. */
  readonly lines: readonly string[];
  /** Messages in each request, the system message not counted. */
  readonly sizes: readonly number[];
  /** What a strict endpoint would have refused, one sentence each. */
  readonly violations: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** @param until the answer to a line waits for this. */
export async function startEchoModel(
  until: (line: string) => Promise<unknown> | undefined = () => undefined,
): Promise<EchoModel> {
  const [lines, sizes, violations]: [string[], number[], string[]] = [[], [], []];
  const server = createServer(async (request, response) => {
    let text = "";
    try {
      for await (const chunk of request) text += String(chunk);
    } catch {
      return; // the client was killed while it asked
    }
    if (text === "") return void response.writeHead(404).end(); // the list of models
    const body = JSON.parse(text) as Body;
    violations.push(...checkChatRequest(body));
    const line = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
    lines.push(line);
    sizes.push(body.messages.length - 1);
    await until(line);
    say(`echo: ${line}`, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    ...{ lines, sizes, violations },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
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

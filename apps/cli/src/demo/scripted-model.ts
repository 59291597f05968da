import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SCRIPT, type Step } from "./script.ts";

export interface ScriptedModel {
  readonly url: string;
  close(): void;
}

/** Ms before each answer: a replay shall be followed by eye. */
const THINKS_MS = 600;

/** A chat-completions endpoint on this machine that answers from the script. It keeps nothing between requests. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // an address and a port, as it was asked to listen on
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const piece of request) body += String(piece);
  await new Promise((resolve) => setTimeout(resolve, THINKS_MS));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const { messages } = JSON.parse(body) as Asked;
  for (const chunk of chunksOf(stepFor(messages), messages.length))
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end("data: [DONE]\n\n");
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** The step after as many answers as were given since the last words. */
function stepFor(messages: Asked["messages"]): Step {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const given = messages.slice(at).filter(({ role }) => role === "assistant").length;
  return SCRIPT[String(messages[at]?.content)]?.[given] ?? { say: "The script ends here." };
}

/** `place` makes the ids of calls unlike those before. */
function chunksOf({ say, calls = [] }: Step, place: number): readonly object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: "replay", object: "chat.completion.chunk", model: "replay" },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const tool_calls = calls.map(({ name, args }, index) => ({
    ...{ index, id: `call_${place}_${index}`, type: "function" },
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [
    ...(say === undefined ? [] : [chunk({ role: "assistant", content: say })]),
    ...(calls.length === 0 ? [] : [chunk({ role: "assistant", tool_calls })]),
    chunk({}, calls.length === 0 ? "stop" : "tool_calls"),
  ];
}

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkChatRequest } from "@smith/testkit";
import { onTestFinished } from "vitest";
import type { WireMessage } from "./scene.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

interface Answer {
  readonly say: string;
  readonly calls?: readonly Call[];
}

/** A model without a memory: its answer depends on the request alone, so that it can be asked again after a kill. */
export interface KillModel {
  readonly config: object;
  /** What a strict endpoint would have refused, one sentence each. */
  readonly violations: readonly string[];
  requests(): number;
}

/** @param pauseMs between the pieces of an answer, so that a kill falls into it too. */
export async function killModel(pauseMs: number): Promise<KillModel> {
  const violations: string[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client was killed while it asked
    }
    if (chunks.length === 0) {
      response.writeHead(404).end(); // the list of models is asked for in the background, and there is none
      return;
    }
    requests++;
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: WireMessage[] };
    violations.push(...checkChatRequest(body));
    await stream(answerTo(body.messages), response, pauseMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const config = { llm_config: { api_url: `http://127.0.0.1:${port}/v1` }, default_model: "scripted" };
  return { config, violations, requests: () => requests };
}

/** The text of a file that is more than one write long. */
export const textOf = (version: string): string => `${`${version}\n`.repeat(5_000)}end of ${version}\n`;

/**
 * `job N` is written, then handed out to a worker (which hands on to an explorer) and an explorer, then edited; every shell
 * command leaves a line of its own in `log.txt`. `edit FILE` is one edit. Anything else is answered in words.
 */
function answerTo(messages: readonly WireMessage[]): Answer {
  const role = /\brole: (\w+)/.exec(messages[0]?.content ?? "")?.[1] ?? "";
  const line = messages.findLast((message) => message.role === "user")?.content ?? "";
  const at = messages.findLastIndex((message) => message.role === "user");
  const round = messages.slice(at + 1).filter((message) => message.role === "assistant").length;
  const path = /^edit (\S+)$/.exec(line)?.[1];
  if (path !== undefined && round === 0) return { say: "I edit.", calls: [edit(path)] };
  const n = /job (\d+)/.exec(line)?.[1];
  if (n === undefined) return { say: "Nothing to do." };
  const plan = role === "direct" ? directPlan(n) : role === "worker" ? workerPlan(n) : explorerPlan(n);
  return plan[round] ?? { say: `done ${n}` };
}

const log = (line: string): Call => ({ id: `log-${line}`, name: "bash", args: { command: `echo ${line} >> log.txt` } });

const write = (path: string): Call => ({ id: `write-${path}`, name: "write", args: { path, content: textOf("v1") } });

const edit = (path: string): Call => ({
  id: `edit-${path}`,
  name: "edit",
  args: { path, old_string: "end of v1", new_string: "end of v2" },
});

const dispatch = (target_role: string, n: string): Call => ({
  id: `${target_role}-${n}`,
  name: "dispatch",
  args: { target_role, task: `job ${n}` },
});

const report: Call = { id: "report", name: "report", args: { status: "ok", summary: "all well" } };

const directPlan = (n: string): readonly Answer[] => [
  { say: "I begin.", calls: [write(`d${n}.txt`), log(`d1-${n}`)] },
  { say: "I hand it out.", calls: [dispatch("worker", n), dispatch("explorer", n)] },
  { say: "I go on.", calls: [edit(`d${n}.txt`), log(`d2-${n}`)] },
];

const workerPlan = (n: string): readonly Answer[] => [
  { say: "Working.", calls: [log(`w1-${n}`), write(`w${n}.txt`)] },
  { say: "I ask.", calls: [dispatch("explorer", n)] },
  { say: "", calls: [edit(`w${n}.txt`), log(`w2-${n}`)] },
  { say: "", calls: [report] },
];

const explorerPlan = (n: string): readonly Answer[] => [
  { say: "Looking.", calls: [{ id: `read-${n}`, name: "read", args: { path: "log.txt" } }] },
  { say: "", calls: [report] },
];

async function stream({ say, calls = [] }: Answer, response: ServerResponse, pauseMs: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = async (delta: object, finish_reason: string | null = null) => {
    const chunk = { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  };
  for (const word of say.split(/(?<= )/)) await send({ content: word });
  for (const [index, { id, name, args }] of calls.entries()) {
    await send({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }] });
  }
  await send({}, calls.length > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

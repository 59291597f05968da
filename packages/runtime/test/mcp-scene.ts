import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "@smith/contract/turn";
import type { RecordedRequest } from "@smith/testkit";
import type { Runtime, RuntimeOptions } from "../src/index.ts";
import { bodyOf, conversationIn, model, place } from "./place.ts";

const PROGRAM = join(import.meta.dirname, "mcp-server.mjs");

/** The test server over stdio, as the configuration has it; `how` is told in its file. */
export const stdio = (how: object = {}, more: object = {}) => ({
  command: process.execPath,
  args: [PROGRAM, JSON.stringify(how)],
  ...more,
});

/** A call of the model's: the tool by its whole name, and its arguments. */
export type Call = readonly [name: string, args?: object];

export interface Played {
  readonly result: TurnResult;
  /** The outputs as the model read them, in the order of the calls. */
  readonly outputs: readonly string[];
  readonly requests: readonly RecordedRequest[];
  readonly notices: readonly string[];
  readonly runtime: Runtime;
}

export interface PlayOptions extends Omit<RuntimeOptions, "config"> {
  readonly config?: object;
}

/** One turn: the model makes the calls, one a round, and says that it is done. */
export async function play(
  servers: object,
  calls: readonly Call[],
  { config, ...options }: PlayOptions = {},
): Promise<Played> {
  const rounds = calls.map(([name, args = {}], at) => ({ call: [{ id: `c${at}`, name, args }] }));
  const llm = await model([...rounds, { say: "Done." }]);
  const runtime = place().runtime({ config: { ...llm.config, mcp_servers: servers, ...config }, ...options });
  const result = await runtime.run("go");
  const outputs = conversationIn(llm.requests.at(-1)).filter((_, at) => at > 0 && at % 2 === 0);
  const texts = result.notices.map(({ text }) => text);
  // On a busy machine a server may take long enough for that to be told; mcp-hostile.long.test.ts looks at it.
  const notices = texts.filter((text) => !text.startsWith("Waiting for the MCP server"));
  return { result, outputs, requests: llm.requests, notices, runtime };
}

/** The MCP tools that a request offers. */
export const offered = (request: RecordedRequest | undefined): readonly string[] =>
  (bodyOf(request).tools ?? []).map((tool) => tool.function.name).filter((name) => name.startsWith("mcp__"));

/** What the test server wrote down: `started PID`, `child PID`, the methods it was asked. */
export const logged = (file: string): readonly string[] => {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n");
  } catch {
    return []; // it has not begun
  }
};

/** The numbers of the processes that the test server started, itself first. */
export const pidsIn = (file: string): readonly number[] =>
  logged(file)
    .flatMap((line) => Number(/^(?:started|child) (\d+)$/.exec(line)?.[1] ?? Number.NaN))
    .filter(Number.isFinite);

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false; // there is none of that number
  }
}

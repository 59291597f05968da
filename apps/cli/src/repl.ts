import { createInterface, type Interface } from "node:readline";
import { readLine } from "@smith/commands";
import type { CancelAccount } from "@smith/contract/dispatch";
import { AgentError } from "@smith/contract/error";
import type { TurnResult } from "@smith/contract/turn";
import type { Runtime } from "@smith/runtime";
import { safeText } from "@smith/terminal";
import { createAnswerWriter } from "./answer-writer.ts";
import type { Args } from "./args.ts";
import { exitCodeOf } from "./exit-code.ts";
import { createLineQueue, type LineQueue } from "./line-queue.ts";
import { modelLine } from "./model-line.ts";
import { conversationOf, useColour } from "./one-shot.ts";
import { createProgress } from "./progress.ts";
import { setUp } from "./setup.ts";

/** How long a second Ctrl-C counts as "leave", ms. */
const TWICE_MS = 2000;

/**
 * The line shell: each line is a command or a turn, answered in order. On a terminal with a prompt; else without prompt
 * or echo, answers on stdout, and the exit code of the last turn if it failed.
 */
export async function repl(args: Args): Promise<number> {
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const runtime = setUp(args);
  const answer = createAnswerWriter((text) => void process.stdout.write(text), process.stdout.isTTY === true);
  const say = (line: string) => {
    answer.breakLine();
    process.stderr.write(`${line}\n`);
  };
  const { notices } = await runtime.start();
  for (const notice of notices) say(`smith: ${notice.text}`);
  if (interactive) await greet(runtime, say);
  runtime.subscribe(answer.onEvent);
  runtime.subscribe(createProgress({ colour: useColour(args), level: args.logLevel, write: say }));
  const conversation_id = await conversationOf(args, runtime, say);

  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: interactive,
    prompt: "smith> ",
  });
  const state: ReplState = { code: 0, conversation_id, left: false };
  const interrupts = createInterrupts(runtime, lines, say);
  const parts: ReplParts = { runtime, say, state, interrupted: interrupts };
  const queue = createLineQueue();
  lines.on("line", (line) => offer(line, { queue, interactive }, parts));
  lines.on("close", queue.close);
  if (interactive) lines.prompt();
  for await (const line of queue) {
    await take(line, parts);
    // Lines typed ahead are not played once somebody leaves.
    if (state.left || interrupts.code() !== null) break;
    if (interactive) lines.prompt();
  }
  lines.close();
  await runtime.close();
  return interrupts.code() ?? state.code;
}

/** While a turn runs: `>` steers it, a command is answered at once, any other line waits. A pipe keeps its order. */
function offer(
  line: string,
  { queue, interactive }: { queue: LineQueue; interactive: boolean },
  parts: ReplParts,
): void {
  const busy = interactive && parts.runtime.currentTurn() !== null;
  if (busy && line.trimStart().startsWith(">")) {
    parts.runtime.steer(line.trimStart().slice(1).trim());
    return;
  }
  if (busy && "command" in readLine(line)) {
    void take(line, parts).then(() => {
      if (parts.state.left) void parts.runtime.cancel("leaving");
    });
    return;
  }
  queue.add(line);
  if (busy && line.trim() !== "") parts.say(`(waits for the turn to end: ${queue.waiting().length} in line)`);
}

interface ReplState {
  code: number;
  conversation_id: string | null;
  left: boolean;
}

interface ReplParts {
  readonly runtime: Runtime;
  readonly say: (line: string) => void;
  readonly state: ReplState;
  readonly interrupted: { code(): number | null };
}

async function greet(runtime: Runtime, say: (line: string) => void): Promise<void> {
  const line = await runtime.model().then(
    (choice) => `smith: ${modelLine(choice)}. /help lists commands, Ctrl-D leaves.`,
    (thrown: unknown) => `smith: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  );
  say(line);
}

async function take(line: string, { runtime, say, state, interrupted }: ReplParts): Promise<void> {
  if (line.trim() === "") return;
  try {
    const { conversation_id } = state;
    const processed = await runtime.processInput(line, conversation_id === null ? {} : { conversation_id });
    if (processed.kind === "turn") {
      state.conversation_id = null; // from here on the runtime is in it
      state.code = processed.result.stop_reason === "completed" ? 0 : exitCodeOf(processed.result, interrupted.code());
      return tellEnd(processed.result, say);
    }
    const { answer } = processed;
    if (answer.say !== "") (answer.ok === false ? say : print)(safeText(answer.say));
    state.left = answer.exit !== undefined;
  } catch (thrown) {
    // A turn that may not begin, or a refused command, ends the line, not the shell.
    state.code = thrown instanceof AgentError && thrown.kind !== "internal" ? 2 : 1;
    say(`smith: ${safeText(thrown instanceof Error ? thrown.message : String(thrown))}`);
  }
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

function tellEnd(result: TurnResult, say: (line: string) => void): void {
  if (result.stop_reason === "error") say(`smith: ${safeText(result.error?.message ?? "the turn failed")}`);
  if (result.cancel !== null) say(accountText(result.cancel));
}

/** What a cancel stopped and what had been changed by then, in two lines. */
function accountText({ reason, nodes }: CancelAccount): string {
  const cut = nodes.flatMap(({ role, calls }) =>
    calls.map(({ tool, mutation_state }) => `${role} ${tool} (${mutation_state})`),
  );
  const files = [...new Set(nodes.flatMap((node) => node.files_changed))];
  const stopped = cut.length === 0 ? "nothing was running" : `cut off: ${cut.join(", ")}`;
  const changed = files.length === 0 ? "no file was changed by finished edits" : `changed before: ${files.join(", ")}`;
  return safeText(`smith: cancelled (${reason}); ${stopped}\nsmith: ${changed}`);
}

/** Ctrl-C cancels a running turn; twice within two seconds, or when idle twice, leaves. */
function createInterrupts(runtime: Runtime, lines: Interface, say: (line: string) => void) {
  let last = Number.NEGATIVE_INFINITY;
  let code: number | null = null;
  const leave = (exit: number) => {
    code = exit;
    void runtime.cancel("leaving");
    lines.close();
  };
  const onInterrupt = () => {
    const now = performance.now();
    if (now - last < TWICE_MS) return leave(130);
    last = now;
    if (runtime.currentTurn() !== null) void runtime.cancel("ctrl-c");
    else say("(Ctrl-C again leaves, or /exit)");
  };
  lines.on("SIGINT", onInterrupt);
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", () => leave(143));
  process.on("SIGHUP", () => leave(129));
  return Object.freeze({ code: () => code });
}

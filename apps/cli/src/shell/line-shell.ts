import { createInterface } from "node:readline";
import type { CommandAnswer } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import type { TurnResult } from "@smith/contract/turn";
import type { Runtime } from "@smith/runtime";
import { safeText } from "@smith/terminal";
import type { LogLevel } from "../args.ts";
import { exitCodeOf } from "../exit-code.ts";
import { createProgress } from "../progress.ts";
import { type Signals, watchSignals } from "../signals.ts";
import { PLAN_HINT } from "./take-line.ts";

export interface LineShellOptions {
  readonly runtime: Runtime;
  readonly level: LogLevel;
  /** Written before each line is read; empty: nothing is. */
  readonly prompt: string;
}

/**
 * The shell without a terminal: a line is a command or a turn, answered in order, without prompt or echo; answers on
 * stdout, the rest on stderr. Resolves to the code of the last turn if it failed, else 0.
 */
export async function runLineShell({ runtime, level, prompt }: LineShellOptions): Promise<number> {
  const signals = watchSignals();
  const lines = createInterface({ input: process.stdin, terminal: false });
  signals.onCancel((reason) => {
    void runtime.cancel(reason);
    lines.close();
  });
  runtime.subscribe(createProgress({ colour: false, level, write: say }));
  const at: Place = { code: 0 };
  const ask = () => process.stdout.write(prompt);
  ask();
  for await (const line of lines) {
    const exit = line.trim() === "" ? null : await take(line, at, { runtime, signals });
    if (exit !== null) return exit;
    if (signals.exitCode() !== null) break;
    ask();
  }
  return signals.exitCode() ?? at.code;
}

interface Place {
  /** Of the last turn. */
  code: number;
}

/** Runs one line; the code to leave with, or null. */
async function take(
  line: string,
  at: Place,
  { runtime, signals }: { runtime: Runtime; signals: Signals },
): Promise<number | null> {
  try {
    const mode = (await runtime.start()).host.session.mode();
    const processed = await runtime.processInput(line);
    if (processed.kind === "command") return tellCommand(processed.answer);
    at.code = tellTurn(processed.result, signals);
    if (mode === "plan" && processed.result.stop_reason === "completed") say(`smith: ${PLAN_HINT}`);
  } catch (thrown) {
    // A turn that may not begin, or a refused command, ends the line, not the shell.
    at.code = thrown instanceof AgentError && thrown.kind !== "internal" ? 2 : 1;
    say(`smith: ${safeText(thrown instanceof Error ? thrown.message : String(thrown))}`);
  }
  return null;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function print(text: string): void {
  if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

function tellCommand({ say: told, ok, exit }: CommandAnswer): number | null {
  if (ok === false) say(safeText(told));
  else print(told);
  return exit ?? null;
}

function tellTurn(result: TurnResult, signals: Signals): number {
  print(result.text);
  if (result.stop_reason === "error") say(`smith: ${safeText(result.error?.message ?? "the turn failed")}`);
  return result.stop_reason === "completed" ? 0 : exitCodeOf(result, signals.exitCode());
}

import type { CommandAnswer } from "@smith/contract/command";
import type { CancelAccount } from "@smith/contract/dispatch";
import type { Runtime } from "@smith/runtime";
import { accountRows, safeText, width, wrap } from "@smith/terminal";
import type { Look } from "./terminal.ts";

export interface LinePorts {
  readonly runtime: Runtime;
  readonly look: Look;
  readonly cwd: string;
  /** Of the next turn. */
  mode(): string;
  say(text: string): void;
  /** Puts a text into the editor. */
  draft?(text: string): void;
  /** Shows an answer in full; resolves when it is left. */
  show(view: NonNullable<CommandAnswer["view"]>, text: string): Promise<void>;
}

/** Said after a turn in mode `plan`. */
export const PLAN_HINT = 'Mode plan: nothing was changed. "/mode full", then "carry it out", does what was planned.';

/** Runs a typed line, a command or a turn, and tells what came of it. Resolves to the code to leave with, or null. */
export async function takeLine(line: string, ports: LinePorts): Promise<number | null> {
  const { runtime, look, say } = ports;
  const mode = ports.mode();
  try {
    const processed = await runtime.processInput(line);
    if (processed.kind === "command") ports.draft?.(processed.answer.draft ?? "");
    if (processed.kind === "command") return await tellAnswer(processed.answer, ports);
    const { cancel, stop_reason } = processed.result;
    if (cancel !== null) tellAccount(cancel, ports);
    if (mode === "plan" && stop_reason === "completed") say(look.theme.dim(PLAN_HINT));
  } catch (thrown) {
    // A turn that may not begin, or a refused command, ends the line, not the shell.
    say(look.theme.error(safeText(messageOf(thrown))));
  }
  return null;
}

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

async function tellAnswer(answer: CommandAnswer, { look, say, show }: LinePorts): Promise<number | null> {
  if (answer.view !== undefined) {
    await show(answer.view, answer.say);
    return null;
  }
  const told = fitted(safeText(answer.say), look.screen.size().columns);
  if (told !== "") say(answer.ok === false ? look.theme.error(told) : told);
  return answer.exit ?? null;
}

/** Up to the second column of a table's row. */
const FIRST_COLUMN = /^\s*\S.*? {2,}(?=\S)/;

/** Rows of a table go on below their second column; all other lines are left to the terminal, so that they copy whole. */
function fitted(text: string, columns: number): string {
  const lines = text.split("\n").flatMap((line) => {
    const first = width(FIRST_COLUMN.exec(line)?.[0] ?? "");
    return first === 0 || first > columns / 2 ? [line] : wrap(line, columns, " ".repeat(first));
  });
  return lines.join("\n");
}

/** Two lines, whole: this is where the user learns what was going on. */
function tellAccount(account: CancelAccount, { look, cwd, say }: LinePorts): void {
  const { screen, theme, unicode } = look;
  const lines = accountRows(account, cwd, { columns: Number.MAX_SAFE_INTEGER, theme, unicode });
  for (const row of lines.flatMap((line) => wrap(line, screen.size().columns, "  "))) say(row);
}

import { homedir } from "node:os";
import type { CommandHost } from "@smith/contract/command";
import {
  type EditorState,
  promptLine,
  renderEditor,
  type Screen,
  type StatusView,
  safeLine,
  spinnerFrame,
  statusLines,
  type Theme,
  wrap,
} from "@smith/terminal";
import type { Question } from "./question.ts";

/** What the live area shows. */
export interface Shown {
  readonly editor: EditorState;
  /** What stands in its place while something is asked. */
  readonly question: Pick<Question, "render">;
  readonly status: StatusView;
  /** The unfinished end of the answer. */
  readonly pending: string;
  /** Lines that wait for the turn to end. */
  readonly waiting: readonly string[];
  /** A word to the user that goes away by itself; empty: none. */
  readonly hint: string;
  /** Something else shows that work goes on: the spinner stands still. */
  readonly isStill: boolean;
  /** Tokens of the model's window; null before one was chosen. */
  readonly window: number | null;
}

export interface View {
  draw(shown: Shown): void;
  /** The prompt as it stands before a line that is printed for good. */
  prompt(shown: Pick<Shown, "status" | "window">): string;
}

export interface ViewOptions {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly unicode: boolean;
  readonly host: CommandHost;
  readonly cwd: string;
}

/** Rows kept free of the answer's unfinished end, besides the editor's: status, children, a line of what was printed. */
const FREE_ROWS = 6;

/** Of a row, at most, before what is typed. */
const PROMPT_PART = 0.65;

/** Of a waiting line: more does not fit any terminal. */
const WAITING_CHARS = 1000;

export function createView({ screen, theme, unicode, host, cwd }: ViewOptions): View {
  const prompt = ({ status, window }: Pick<Shown, "status" | "window">): string => {
    const { session } = host;
    const context = status.context_tokens === null ? null : { tokens: status.context_tokens, window };
    return promptLine(
      {
        ...{ role: session.role(), mode: session.mode(), model: session.model()?.model ?? null },
        ...{ path: cwd, home: homedir(), context, cost_usd: status.cost_usd || null },
      },
      { columns: Math.floor(screen.size().columns * PROMPT_PART), theme, unicode },
    );
  };
  return Object.freeze({
    prompt,
    draw(shown: Shown) {
      const { columns, rows } = screen.size();
      const { lines, cursor } =
        shown.question.render({ columns, room: Math.max(1, rows - FREE_ROWS) }) ??
        renderEditor(shown.editor, { columns, prompt: prompt(shown) });
      const room = Math.max(0, rows - lines.length - FREE_ROWS);
      const pending = shown.pending === "" ? [] : shown.pending.split("\n").flatMap((line) => wrap(line, columns));
      const now = Date.now();
      const look = {
        columns,
        now,
        theme,
        frame: shown.isStill ? spinnerFrame(0, unicode) : spinnerFrame(now, unicode),
        unicode,
      };
      const above = [
        ...(room === 0 ? [] : pending.slice(-room)),
        ...statusLines(shown.status, look),
        ...shown.waiting.map((line) => theme.dim(`${unicode ? "⋯" : "..."} ${safeLine(line.slice(0, WAITING_CHARS))}`)),
      ];
      const below = shown.hint === "" ? [] : [theme.dim(shown.hint)];
      screen.live([...above, ...lines, ...below], { row: above.length + cursor.row, column: cursor.column });
    },
  });
}

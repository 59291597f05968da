import type { Undone, UndoWhat } from "@smith/contract/undo";
import { type Command, misuse } from "./command.ts";

const TALK = { name: "talk", description: "rewind the talk alone; files stay" } as const;

/** `/undo`. */
export const undo: Command = {
  name: "undo",
  aliases: ["rewind"],
  summary: "take back the last turn, or more: the talk, and the files that its tools changed",
  usage: ["[N | TURN_ID] [--talk]"],
  example: "undo 2",
  doors: ["slash"],
  flags: [TALK],
  async run({ words, flags }, { session }) {
    const what = readWhat(words);
    if (what === null) return misuse(undo);
    const done = await session.undo(what, { files: flags["talk"] !== true });
    return { say: told(done).join("\n"), data: done, draft: done.line };
  },
};

/** `/retry`. */
export const retry: Command = {
  name: "retry",
  summary: "take back the last turn and its files, and send its line once more",
  usage: ["[--talk]"],
  example: "retry",
  doors: ["slash"],
  flags: [TALK],
  async run({ words, flags }, { session }) {
    if (words.length > 0) return misuse(retry);
    const done = await session.undo({ last: 1 }, { files: flags["talk"] !== true });
    const say = told(done).join("\n");
    if (done.had_images || done.line === "") {
      const why = "The line had pictures, which can't be sent again by itself: attach them anew.";
      return { ok: false, say: `${say}\n${why}`, data: done, draft: done.line };
    }
    return { say, data: done, turn: { text: done.line, literal: true, model: null, role: null, mode: null } };
  },
};

function readWhat(words: readonly string[]): UndoWhat | null {
  const [word = "1", ...rest] = words;
  if (rest.length > 0) return null;
  if (/^t[1-9]\d{0,7}$/.test(word)) return { from: word };
  return /^[1-9]\d{0,7}$/.test(word) ? { last: Number(word) } : null;
}

function told({ turns, files, left, notes }: Undone): readonly string[] {
  return [
    `undone: ${turns.join(", ")}`,
    ...files.map(({ path, what, kept }) => `  ${what} ${path}${kept === null ? "" : ` (what it held: blob ${kept})`}`),
    ...left.map(({ path, why }) => `  left ${path}: ${why}`),
    ...notes,
  ];
}

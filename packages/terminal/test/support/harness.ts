import { createHash } from "node:crypto";
import {
  applyCompletion,
  clearText,
  complete,
  createEditor,
  createScreen,
  edit,
  type Key,
  readKeys,
  renderEditor,
} from "../../src/index.ts";

/** A shell that answers each line with its length and hash: the parts joined as the door joins them. */
const { stdout, stdin } = process;
const out = {
  write: (text: string) => stdout.write(text),
  columns: () => stdout.columns,
  rows: () => stdout.rows,
  isTty: stdout.isTTY,
};
const screen = createScreen({ out, crlf: true });
const sources = { commands: () => [{ name: "list" }, { name: "listen" }, { name: "exit" }] };
let editor = createEditor(["an old line", "你好 again"]);

const draw = () => {
  const { lines, cursor } = renderEditor(editor, { columns: screen.size().columns, prompt: "> " });
  screen.live(["-- idle --", ...lines], { row: cursor.row + 1, column: cursor.column });
};

const leave = () => {
  keys.close();
  screen.close();
  screen.print("left\n");
};

async function onKey(key: Key): Promise<void> {
  editor = edit(editor, key);
  const { effect } = editor;
  if (effect?.type === "eof") return leave();
  if (effect?.type === "submit") {
    const hash = createHash("sha256").update(effect.text).digest("hex").slice(0, 8);
    screen.print(`${effect.text.length} ${hash}\n`);
  }
  if (effect?.type === "interrupt") editor = clearText(editor);
  if (effect?.type === "clear_screen") screen.clear();
  if (effect?.type === "unbound") screen.print(`key ${effect.name}\n`);
  if (effect?.type === "escape") screen.print("escape\n");
  if (effect?.type === "complete") editor = applyCompletion(editor, await complete(effect.text, sources));
  draw();
}

stdout.on("resize", draw);
const keys = readKeys(stdin, { onKey: (key) => void onKey(key), onEnd: () => screen.close() });
draw();

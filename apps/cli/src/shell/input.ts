import {
  applyCompletion,
  type Completion,
  clearText,
  createEditor,
  type EditorState,
  edit,
  type Key,
  replaceText,
  textIn,
} from "@smith/terminal";
import type { Completer } from "./completer.ts";

/** What typing can ask for. */
export interface InputPorts {
  readonly completer: Completer;
  submit(text: string): void;
  /** Ctrl-C; what was typed is gone then, unless a turn runs. */
  interrupt(): void;
  escape(): void;
  /** Ctrl-D on an empty line. */
  leave(): void;
  clearScreen(): void;
  /** The editor changed: draw it. */
  changed(): void;
  /** Whether a turn runs: then Ctrl-C is for it, not for what is typed. */
  isBusy(): boolean;
}

export interface Input {
  onKey(key: Key): void;
  editor(): EditorState;
  /** Puts lines that were sent already before what is typed now, to be edited again. */
  giveBack(lines: readonly string[]): void;
}

/** The line that is being typed. */
export function createInput(history: readonly string[], ports: InputPorts): Input {
  let editor = createEditor(history);
  const onInterrupt = () => {
    if (!ports.isBusy() && textIn(editor) !== "") editor = clearText(editor);
    ports.interrupt();
  };
  /** The editor may have gone on meanwhile. */
  const onCompletion = (completion: Completion) => {
    editor = applyCompletion(editor, completion);
    ports.changed();
  };
  return Object.freeze({
    editor: () => editor,
    giveBack(lines: readonly string[]) {
      if (lines.length === 0) return;
      editor = replaceText(editor, [...lines, textIn(editor)].filter((text) => text !== "").join("\n"));
    },
    onKey(key: Key) {
      editor = edit(editor, key);
      const { effect } = editor;
      switch (effect?.type) {
        case "submit":
          ports.submit(effect.text);
          break;
        case "interrupt":
          onInterrupt();
          break;
        case "escape":
          ports.escape();
          break;
        case "eof":
          ports.leave();
          break;
        case "clear_screen":
          ports.clearScreen();
          break;
        case "complete":
          void ports.completer.complete(effect.text).then(onCompletion);
          break;
        case "unbound":
        case undefined:
          break;
        default:
          effect satisfies never;
      }
      ports.changed();
    },
  });
}

import { clearText, createEditor, type EditorState, edit, type Key, textIn } from "@smith/terminal";
import type { Completer } from "./completer.ts";

/** What typing can ask for. */
export interface InputPorts {
  readonly completer: Completer;
  submit(text: string): void;
  /** Ctrl-C with nothing typed. */
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
  onKey(key: Key): Promise<void>;
  editor(): EditorState;
}

/** The line that is being typed. */
export function createInput(history: readonly string[], ports: InputPorts): Input {
  let editor = createEditor(history);
  const onInterrupt = () => {
    if (!ports.isBusy() && textIn(editor) !== "") editor = clearText(editor);
    else ports.interrupt();
  };
  return Object.freeze({
    editor: () => editor,
    async onKey(key: Key) {
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
          editor = await ports.completer.complete(editor, effect.text);
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

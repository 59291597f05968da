import { emitKeypressEvents } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createDecoder, type Token } from "./keys-decode.ts";

/**
 * What was typed: letters as they came, a paste whole (line ends as `\n`), or a key by its chord: modifiers in the order
 * `ctrl-alt-shift-` and a name, as `enter`, `ctrl-j`, `alt-enter`, `escape`, `ctrl-left`, `shift-tab`, `alt-f`, `ctrl-_`.
 */
export type Key =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "key"; readonly name: string };

/** What a terminal's input must offer; `process.stdin` does. */
export interface KeyStream {
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "end" | "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  off(event: "end" | "error", listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
  setRawMode?(on: boolean): unknown;
}

export interface KeyOptions {
  onKey(key: Key): void;
  /** What the terminal answered, whole: a sequence that is no key. */
  onAnswer?(answer: string): void;
  /** The terminal is gone: end of input, or an error such as EIO after a hang-up. Told once. */
  onEnd?(): void;
}

export interface Keys {
  /** Gives the terminal back, out of raw mode, as for a pager or an editor. What is typed meanwhile is not read here. */
  pause(): void;
  resume(): void;
  /** Out of raw mode, no listener left. Twice is as once. */
  close(): void;
}

/** Reads keys from a terminal, in raw mode until closed. Unknown sequences and the terminal's own answers are no keys. */
export function readKeys(stream: KeyStream, { onKey, onAnswer, onEnd }: KeyOptions): Keys {
  const utf8 = new StringDecoder("utf8");
  const decoder = createDecoder();
  const nameOf = createNames();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = false;
  let closed = false;

  const tell = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      const { type, text } = token;
      if (type === "answer") {
        onAnswer?.(text);
        continue;
      }
      const found = type === "sequence" ? nameOf(text) : { type, text };
      if (found !== null) onKey(found);
    }
    clearTimeout(timer);
    const waitMs = decoder.waitMs();
    if (waitMs !== null) timer = setTimeout(() => tell(decoder.flush()), waitMs);
  };
  const onData = (chunk: Buffer | string) => tell(decoder.push(typeof chunk === "string" ? chunk : utf8.write(chunk)));
  const onGone = () => {
    if (closed) return;
    close();
    onEnd?.();
  };
  const resume = () => {
    if (reading || closed) return;
    reading = true;
    setRaw(stream, true);
    stream.on("data", onData);
    stream.resume();
  };
  const pause = () => {
    if (!reading) return;
    reading = false;
    clearTimeout(timer);
    stream.off("data", onData);
    stream.pause();
    setRaw(stream, false);
  };
  const close = () => {
    if (closed) return;
    pause();
    closed = true;
    stream.off("end", onGone);
    // The error listener stays: a hang-up that is told after the close must not throw.
  };
  stream.on("end", onGone);
  stream.on("error", onGone);
  resume();
  return Object.freeze({ pause, resume, close });
}

function setRaw(stream: KeyStream, on: boolean): void {
  try {
    stream.setRawMode?.(on);
  } catch {
    // EIO: the terminal has hung up, and `end` or `error` will say so
  }
}

/** Names of sequences: Node's tables, and what they lack. */
function createNames(): (sequence: string) => Key | null {
  const source = new PassThrough();
  emitKeypressEvents(source);
  let named: Key | null = null;
  source.on("keypress", (_text: unknown, key: NodeKey) => {
    named = fromNode(key);
  });
  const nameOf = (sequence: string): Key | null => {
    const own = CONTROLS[sequence] ?? fromCodes(sequence) ?? fromAlt(sequence);
    if (own !== undefined) return own;
    if (sequence.startsWith("\u001b\u001b")) return withAlt(nameOf(sequence.slice(1)));
    named = null;
    source.emit("data", sequence); // each one whole, so that nothing is left in its state
    return named;
  };
  return nameOf;
}

/** Alt before a sequence comes as one Esc more. */
const withAlt = (found: Key | null): Key | null =>
  found?.type !== "key" || found.name.includes("alt-")
    ? found
    : key(found.name.startsWith("ctrl-") ? `ctrl-alt-${found.name.slice(5)}` : `alt-${found.name}`);

/** Esc and one printable character. */
function fromAlt(sequence: string): Key | undefined {
  const [first, char = "", more] = sequence;
  if (first !== "\u001b" || more !== undefined || char <= "\u001f" || char === "\u007f") return undefined;
  return key(`alt-${char === " " ? "space" : char.toLowerCase()}`);
}

interface NodeKey {
  readonly name?: string | undefined;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

const key = (name: string): Key => ({ type: "key", name });

function fromNode({ name, ctrl, meta, shift }: NodeKey): Key | null {
  if (name === undefined || name === "undefined" || name.startsWith("paste-")) return null;
  if (name === "enter") return key(meta ? "ctrl-alt-j" : "ctrl-j");
  const known = name === "return" ? "enter" : name;
  return key(chord({ ctrl, alt: meta, shift: shift && known.length > 1 }, known));
}

interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

const chord = ({ ctrl, alt, shift }: Modifiers, name: string): string =>
  `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`;

/** `CSI code ; modifiers u` and `CSI 27 ; modifiers ; code ~`, which some terminals send for chords that have no other. */
function fromCodes(sequence: string): Key | undefined {
  const found = sequence.startsWith("\u001b") ? CODES.exec(sequence) : null;
  if (found === null) return undefined;
  const code = Number(found[1] ?? found[4]);
  const bits = Math.max(0, Number(found[2] ?? found[3] ?? "1") - 1);
  if (!(code > 0 && code <= 0x10ffff)) return undefined;
  const modifiers = { ctrl: (bits & 4) > 0, alt: (bits & 2) > 0, shift: (bits & 1) > 0 };
  const name = NAMES[code];
  if (name !== undefined) return key(chord(modifiers, name));
  const char = String.fromCodePoint(code);
  if (!modifiers.ctrl && !modifiers.alt) return { type: "text", text: char };
  return key(chord({ ...modifiers, shift: false }, char.toLowerCase()));
}

const CODES = /^.\[(?:(\d+)(?:;(\d+))?u|27;(\d+);(\d+)~)$/s;

const NAMES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
};

const CONTROLS: Readonly<Record<string, Key>> = {
  "\u0000": key("ctrl-space"),
  "\u001b": key("escape"),
  "\u001c": key("ctrl-\\"),
  "\u001d": key("ctrl-]"),
  "\u001e": key("ctrl-^"),
  "\u001f": key("ctrl-_"),
  "\u001b\u007f": key("alt-backspace"),
};

import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Key, readKeys } from "../src/index.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const stream = new PassThrough();
  const raw: boolean[] = [];
  const input = Object.assign(stream, { setRawMode: (on: boolean) => raw.push(on) });
  const keys: Key[] = [];
  let ends = 0;
  const reader = readKeys(input, { onKey: (key) => keys.push(key), onEnd: () => ends++ });
  /** As a terminal sends it: told at once. */
  const send = (text: string | Buffer) => void stream.emit("data", typeof text === "string" ? Buffer.from(text) : text);
  const names = () => keys.map((key) => (key.type === "key" ? key.name : `${key.type}:${key.text}`));
  return { stream, raw, reader, send, keys, names, ends: () => ends };
}

test("U35 keys are told by their chords", () => {
  const { send, names } = open();
  const sent: readonly (readonly [string, string])[] = [
    ["\r", "enter"],
    ["\n", "ctrl-j"],
    ["\u001b\r", "alt-enter"],
    ["\t", "tab"],
    ["\u001b[Z", "shift-tab"],
    ["\u007f", "backspace"],
    ["\u0008", "backspace"],
    ["\u001b\u007f", "alt-backspace"],
    ["\u0001", "ctrl-a"],
    ["\u0003", "ctrl-c"],
    ["\u001f", "ctrl-_"],
    ["\u0000", "ctrl-space"],
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[1;5C", "ctrl-right"],
    ["\u001b[1;3D", "alt-left"],
    ["\u001b\u001b[D", "alt-left"],
    ["\u001b[H", "home"],
    ["\u001b[4~", "end"],
    ["\u001b[3~", "delete"],
    ["\u001b[5~", "pageup"],
    ["\u001bOP", "f1"],
    ["\u001b[[A", "f1"],
    ["\u001bh", "alt-h"],
    ["\u001bB", "alt-b"],
    ["\u001b[13;2u", "shift-enter"],
    ["\u001b[27;2;13~", "shift-enter"],
    ["\u001b[97;5u", "ctrl-a"],
    ["\u001b[27u", "escape"],
  ];
  for (const [bytes] of sent) send(bytes);
  expect(names()).toEqual(sent.map(([, name]) => name));
});

test("U35 letters come as they were typed, also where a character is split between two reads", () => {
  const { send, names } = open();
  send("hello 你好👨‍👩‍👧\u001b[Dx");
  const bytes = Buffer.from("é你");
  send(bytes.subarray(0, 1));
  send(bytes.subarray(1, 3));
  send(bytes.subarray(3));
  expect(names()).toEqual(["text:hello 你好👨‍👩‍👧", "left", "text:x", "text:é", "text:你"]);
});

test("U35 Esc alone is told after a short silence, and Alt with a letter at once", () => {
  const { send, names } = open();
  send("\u001b");
  vi.advanceTimersByTime(49);
  expect(names()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(names()).toEqual(["escape"]);
  send("\u001bd");
  send("\u001b");
  send("[A");
  send("\u001b\u001b");
  vi.advanceTimersByTime(50);
  expect(names()).toEqual(["escape", "alt-d", "up", "escape", "escape"]);
});

test("U6 answers of the terminal, late or in pieces, and unknown sequences are not typed text", () => {
  const { send, names } = open();
  send("a\u001b_Gi=31;OK\u001b\\b");
  send("\u001b[?62;4c\u001b[12;40R\u001b[I\u001b[<35;10;5M\u001b[?2026;2$y\u001bP>|xterm(370)\u001b\\");
  send("\u001b]11;rgb:0000/0000/0000");
  vi.advanceTimersByTime(200);
  send("\u001b\\c");
  send("\u001b]52;c;aGk=\u0007d\u001b[200;300;400z\u001b[1\r\u009b31m");
  expect(names()).toEqual(["text:a", "text:b", "text:c", "text:d", "enter", "text:31m"]);
  send("\u001b]");
  vi.advanceTimersByTime(50);
  send("x");
  expect(names().slice(-2)).toEqual(["alt-]", "text:x"]);
});

test("U35 a paste is one event with its line ends and blanks, whatever the pieces", () => {
  const whole = "\u001b[200~one\r\n  two\rthree\t\u001b[31mred\u001b[201~\r";
  for (const size of [1, 2, 5, 7, 100]) {
    const { send, names } = open();
    for (let at = 0; at < whole.length; at += size) send(whole.slice(at, at + size));
    vi.advanceTimersByTime(20);
    expect(names()).toEqual(["paste:one\n  two\nthree\t\u001b[31mred", "enter"]);
  }
});

test("U35 fault 219 an end marker within the pasted text does not end the paste: nothing of it is typed or submitted", () => {
  const { send, names } = open();
  send("\u001b[200~safe\u001b[201~\rrm -rf /\r");
  send("more\u001b[201~");
  vi.advanceTimersByTime(20);
  send("x");
  send("\u001b[200~next\u001b[201~\u001b[200~one\u001b[201~");
  vi.advanceTimersByTime(20);
  expect(names()).toEqual(["paste:safe\nrm -rf /\nmore", "text:x", "paste:next", "paste:one"]);
});

test("U35 fault 219 a paste of 1 MB is one event, in less time than a key takes to be noticed", () => {
  const { send, keys } = open();
  const text = "line of text, 你好\n".repeat(60_000);
  const bytes = Buffer.from(`\u001b[200~${text}\u001b[201~`);
  const started = performance.now();
  for (let at = 0; at < bytes.length; at += 4095) send(bytes.subarray(at, at + 4095));
  vi.advanceTimersByTime(20);
  expect(keys).toEqual([{ type: "paste", text }]);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("U11 Ctrl-C gets out of a paste whose end never comes", () => {
  const { send, names } = open();
  send("\u001b[200~half");
  vi.advanceTimersByTime(5000);
  send("\u0003");
  expect(names()).toEqual(["paste:half", "ctrl-c"]);
});

test("U24 raw mode lasts from the start to the close, but for pauses, and the end of input is told once", () => {
  const { stream, raw, reader, send, names, ends } = open();
  reader.pause();
  send("unseen");
  reader.resume();
  send("seen");
  reader.close();
  reader.close();
  reader.resume();
  stream.emit("end");
  expect([raw, names(), ends()]).toEqual([[true, false, true, false], ["text:seen"], 0]);
  const gone = open();
  gone.stream.emit("error", new Error("read EIO"));
  gone.stream.emit("end");
  expect([gone.raw, gone.ends()]).toEqual([[true, false], 1]);
  expect(vi.getTimerCount()).toBe(0);
});

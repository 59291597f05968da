import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { hashBytes, hashText } from "../src/index.ts";
import { scene } from "./scene.ts";

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);
const gutter = (from: number, to: number, text: (n: number) => string = String) =>
  numbers(from, to)
    .map((n) => `${n.padStart(4)}│${text(Number(n))}\n`)
    .join("");

describe("read", () => {
  test("TL20 read shows path, line count and hash, then numbered lines", async () => {
    const { run, put } = scene();
    put("src/a.ts", "one\ntwo\n");
    expect(await run("read", { path: "src/a.ts" })).toEqual({
      ok: true,
      content: `src/a.ts · 2 lines · hash ${hashText("one\ntwo\n")}\n   1│one\n   2│two`,
      metadata: { summary: "src/a.ts (2 lines)", lines: 2, hash: hashText("one\ntwo\n") },
    });
  });

  test("TL20 a path is told from the project root, or whole outside of it", async () => {
    const { run, put, path } = scene();
    const other = scene();
    put("pkg/a", "x\n");
    const first = async (given: string, cwd: string) =>
      (await run("read", { path: given }, { cwd })).content.split(" · ")[0];
    expect(await first("a", path("pkg"))).toBe("pkg/a");
    expect(await first(path("pkg/a"), path("pkg"))).toBe("pkg/a");
    expect(await first(other.put("b", "y"), path("pkg"))).toBe(other.path("b"));
  });

  test("B11 TL20 the final newline makes no further line, and the hint names the next offset", async () => {
    const { run, put } = scene();
    const ten = `${numbers(1, 10).join("\n")}\n`;
    put("f", ten);
    put("g", ten.slice(0, -1));
    const head = (name: string) => `${name} · 10 lines · hash ${hashText(name === "f" ? ten : ten.slice(0, -1))}\n`;
    expect((await run("read", { path: "f" })).content).toBe(head("f") + gutter(1, 10).slice(0, -1));
    expect((await run("read", { path: "g" })).content).toBe(head("g") + gutter(1, 10).slice(0, -1));
    expect((await run("read", { path: "f", offset: 1, limit: 5 })).content).toBe(
      `${head("f")}${gutter(1, 5)}[lines 1-5 of 10; continue with offset 6]`,
    );
    expect((await run("read", { path: "f", offset: 6 })).content).toBe(head("f") + gutter(6, 10).slice(0, -1));
    expect(await run("read", { path: "f", offset: 11 })).toMatchObject({
      ok: true,
      content: `${head("f")}[offset 11 is past the end: the file has 10 lines]`,
    });
  });

  test("TL20 an empty file says so", async () => {
    const { run, put } = scene();
    put("e", "");
    expect((await run("read", { path: "e" })).content).toBe(`e · 0 lines · hash ${hashText("")}\n[the file is empty]`);
  });

  test("TL20 a page has at most 2,000 lines, whatever limit says", async () => {
    const { run, put } = scene();
    put("f", `${numbers(1, 2500).join("\n")}\n`);
    for (const args of [{ path: "f" }, { path: "f", limit: 9999 }]) {
      const lines = (await run("read", args)).content.split("\n");
      expect([lines.length, lines[2000], lines[2001]]).toEqual([
        2002,
        "2000│2000",
        "[lines 1-2000 of 2500; continue with offset 2001]",
      ]);
    }
  });

  test("TL20 a page has at most 50,000 characters, cut between lines", async () => {
    const { run, put } = scene();
    put("f", `${"x".repeat(99)}\n`.repeat(1000));
    const lines = (await run("read", { path: "f" })).content.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([502, "[lines 1-500 of 1000; continue with offset 501]"]);
  });

  test("B21 TL20 a line that alone is too long is cut, and the rest can be read on", async () => {
    const { run, put } = scene();
    put("f", `${"é".repeat(300_000)}\nnext\n`);
    const [, line, ...hints] = (await run("read", { path: "f" })).content.split("\n");
    expect(line).toBe(`   1│${"é".repeat(49_999)}`);
    expect(hints).toEqual([
      "[line 1 is cut: 500002 more bytes; read them with bash: cut -c]",
      "[lines 1-1 of 2; continue with offset 2]",
    ]);
    expect((await run("read", { path: "f", offset: 2 })).content).toMatch(/\n {3}2│next$/);
  });

  test("B16 a byte order mark is not shown, one in the middle is", async () => {
    const { run, put, bytes } = scene();
    put("b.py", "\ufeffimport os\nx\ufeffy\n");
    const before = bytes("b.py");
    expect((await run("read", { path: "b.py" })).content.split("\n").slice(1)).toEqual([
      "   1│import os",
      "   2│x\ufeffy",
    ]);
    expect(bytes("b.py")).toBe(before);
  });

  test("B01 CRLF is shown without its carriage return, a lone one stays", async () => {
    const { run, put } = scene();
    put("w", "a\r\nb\rc\r\nd\r");
    expect((await run("read", { path: "w" })).content.split("\n").slice(1)).toEqual([
      "   1│a",
      "   2│b\rc",
      "   3│d\r",
    ]);
  });

  test("fault 162 TL20 bytes that are no UTF-8 are shown as far as they go, and that is said", async () => {
    const { run, put } = scene();
    put("l", Buffer.from("caf\xe9\nok\n", "latin1"));
    const { content } = await run("read", { path: "l" });
    expect(content.split("\n").slice(1)).toEqual([
      "   1│caf\ufffd",
      "   2│ok",
      "[not valid UTF-8: bytes that could not be decoded are shown as U+FFFD]",
    ]);
  });

  test("fault 166 fault 167 TL21 B13 what is no text file is refused at once, by its kind", async () => {
    const { run, put, path, root } = scene();
    execFileSync("mkfifo", [path("p")]);
    mkdirSync(path("d"));
    put("bin", Buffer.from([1, 2, 0, 3]));
    const server = createServer().listen(path("s"));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const started = performance.now();
    const error = async (name: string) => (await run("read", { path: name })).error;
    expect(await error("p")).toMatchObject({ code: "not_regular", message: "p is not a regular file (named pipe)." });
    expect(await error("s")).toMatchObject({ code: "not_regular", message: "s is not a regular file (socket)." });
    expect(await error("/dev/zero")).toMatchObject({ code: "not_regular" });
    expect(await error("d")).toMatchObject({ code: "is_directory" });
    expect(await error(root)).toMatchObject({ code: "is_directory" });
    expect(await error("bin")).toMatchObject({
      code: "binary",
      message: "bin is binary (it holds NUL bytes). Look at it with bash: file, xxd, strings.",
    });
    expect(performance.now() - started).toBeLessThan(500);
    expect(await run("read", { path: put("ok", "fine\n") })).toMatchObject({ ok: true });
  });

  test("TL21 a missing file is named with names that are near", async () => {
    const { run, put, path } = scene();
    put("src/reader.ts", "");
    put("src/writer.ts", "");
    const error = async (name: string, cwd?: string) => (await run("read", { path: name }, cwd ? { cwd } : {})).error;
    expect(await error("src/raeder.ts")).toEqual({
      kind: "tool",
      code: "not_found",
      message: "src/raeder.ts does not exist. Did you mean reader.ts?",
    });
    expect((await error("src/zzz"))?.message).toBe("src/zzz does not exist. Look for it with bash: ls.");
    expect((await error("no/such/file"))?.message).toBe(
      "no/such/file does not exist, nor does the directory it would be in.",
    );
    expect((await error("~/x"))?.message).toBe('~/x does not exist: "~" is not expanded. Give an absolute path.');
    expect((await error("src/reader.ts", path("src")))?.message).toBe(
      `src/reader.ts does not exist in ${path("src")}, where relative paths start. Did you mean ${path("src/reader.ts")}?`,
    );
  });

  test("fault 165 fault 168 TL21 odd paths are answers, not crashes", async () => {
    const { run, path, put } = scene();
    symlinkSync("loop", path("loop"));
    put("f", "");
    const code = async (name: string) => (await run("read", { path: name })).error?.code;
    expect(await code("loop")).toBe("symlink_loop");
    expect(await code("n".repeat(300))).toBe("name_too_long");
    expect(await code("a\0b")).toBe("bad_path");
    expect(await code("f/x")).toBe("not_directory");
    expect((await run("read", { path: "a\nb\u202e" })).error?.message).toContain("a\\u000ab\\u202e");
  });

  test("fault 168 TL21 a file this user may not read is refused as such", async () => {
    const { run, put, root } = scene();
    chmodSync(root, 0o755);
    chmodSync(put("secret", "x"), 0);
    const asRoot = process.getuid?.() === 0;
    if (asRoot) process.seteuid?.(65534); // root may read everything: be nobody for a moment
    try {
      expect((await run("read", { path: "secret" })).error).toEqual({
        kind: "tool",
        code: "permission",
        message: "secret may not be accessed by this user (permission denied).",
      });
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
  });

  test("TL20 a pseudo file of unknown size is read", async () => {
    const { run } = scene();
    expect((await run("read", { path: "/proc/self/status" })).content).toMatch(/\n {3}1│Name:/);
  });

  test("fault 163 TL20 a huge file is read by range without loading it, its hash left out", async () => {
    const { run, put } = scene();
    const line = `${"y".repeat(63)}\n`;
    put("big", line.repeat((65 << 20) / 64));
    const before = process.memoryUsage().rss;
    const { content } = await run("read", { path: "big", offset: 1_000_000, limit: 1 });
    expect(content).toBe(
      `big · 1064960 lines · hash unavailable (file too large)\n1000000│${"y".repeat(63)}\n[lines 1000000-1000000 of 1064960; continue with offset 1000001]`,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(32 << 20);
  });

  test("fault 164 TL21 a sparse terabyte is refused at once", async () => {
    const { run, path } = scene();
    const fd = openSync(path("sparse"), "w");
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    expect((await run("read", { path: "sparse" })).error?.code).toBe("binary");
  });

  test("TL20 a cancelled read stops", async () => {
    const { run, put, cancel } = scene();
    put("f", "x\n");
    cancel.request("ctrl-c");
    expect((await run("read", { path: "f" })).error).toEqual({
      kind: "cancelled",
      code: "cancelled",
      message: "ctrl-c",
    });
  });

  test("TL20 numbers below 1 are refused, and unknown arguments by name", () => {
    const { refused } = scene();
    expect(refused("read", { path: "f", offset: 0 })).toEqual(["Too small: expected number to be >=1"]);
    expect(refused("read", { path: "f", lines: 3 })).toEqual(['Unrecognized key: "lines"']);
  });

  test("TL14 with confine all a read stays inside, with writes it may leave", async () => {
    const outside = "/etc/hostname";
    const root = scene({ confine: "all" });
    expect((await root.run("read", { path: outside })).error).toEqual({
      kind: "policy",
      code: "path_escape",
      message: `${outside} escapes ${root.root}: it leads to ${outside}. File tools stay inside the project and the temp folder; services.tool.confine = "off" lifts that.`,
    });
    expect(await scene().run("read", { path: outside })).toMatchObject({ ok: true });
  });

  test("TL50 the line for people names the path and the lines", async () => {
    const { run, tool, put } = scene();
    put("f", "1\n2\n3\n");
    const shown = async (args: object) => tool("read").result_renderer?.(args, await run("read", args));
    expect(await shown({ path: "f" })).toBe("f (3 lines)");
    expect(await shown({ path: "f", offset: 2, limit: 1 })).toBe("f (lines 2-2)");
    expect(await shown({ path: "nope" })).toBe("error: nope does not exist. Look for it with bash: ls.");
  });

  test("TL20 the hash is SHA-256, first 16 digits, of the bytes as they are", () => {
    expect(hashText("abc")).toBe("ba7816bf8f01cfea");
    expect(hashBytes(Buffer.from("abc"))).toBe("ba7816bf8f01cfea");
  });
});

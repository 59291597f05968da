import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { replaceFile } from "../src/disk-file.ts";
import { requireUnchanged } from "../src/edit.ts";
import { makeFolder } from "../src/held-folder.ts";
import { hashBytes, hashText } from "../src/index.ts";
import { scene } from "./scene.ts";

const utf16 = (text: string, order: "le" | "be") => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};

describe("encodings that are not UTF-8", () => {
  test.each(["le", "be"] as const)(
    "fault 162 TL20 TL24 a UTF-16%s file is read as text, edited and kept so",
    async (order) => {
      const { run, put, path } = scene();
      const bytes = utf16("één\r\n音 🌍\r\nlast", order);
      put("f", bytes);
      const { content } = await run("read", { path: "f" });
      expect(content).toBe(
        `f · 3 lines · hash ${hashBytes(bytes)}\n   1│één\n   2│音 🌍\n   3│last\n[the file is utf-16${order}; edit keeps it so]`,
      );
      const hash = hashBytes(bytes);
      const edited = await run("edit", { path: "f", hash, op: "replace", start_line: 2, text: "楽\n\ufeffnot a mark" });
      const now = utf16("één\r\n楽\r\n\ufeffnot a mark\r\nlast", order);
      expect(edited.content).toBe(
        `edited f lines 2-3 (+1) new_hash ${hashBytes(now)}\n   1│één\n   2│楽\n   3│\ufeffnot a mark\n   4│last\n[kept as utf-16${order}]`,
      );
      expect(await readFile(path("f"))).toEqual(now);
      expect((await run("write", { path: "f", content: "x" })).content).toBe(
        `overwritten f (1 bytes) hash ${hashText("x")} (was ${hashBytes(now)}, in utf-16${order}; it is UTF-8 now)`,
      );
    },
  );

  test("fault 162 TL21 UTF-16 that would not come back as it was is no text, and neither is UTF-32", async () => {
    const { run, put, bytes } = scene();
    const files = {
      odd: [0xff, 0xfe, 0x41],
      lone: [0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00],
      wide: [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0],
      bare: [0x41, 0, 0x42, 0, 0x0a, 0],
    };
    for (const [name, content] of Object.entries(files)) {
      put(name, Buffer.from(content));
      const outcomes = [
        await run("read", { path: name }),
        await run("edit", { path: name, old_string: "A", new_string: "B" }),
      ];
      expect([name, ...outcomes.map(({ error }) => error?.code)]).toEqual([name, "binary", "binary"]);
      expect(bytes(name)).toBe(Buffer.from(content).toString("latin1"));
    }
    const why = async (name: string) =>
      (await run("edit", { path: name, old_string: "A", new_string: "" })).error?.message;
    expect([await why("odd"), await why("wide"), await why("bare")]).toEqual([
      "odd is binary: it begins with the mark of UTF-16, but is damaged: edit takes text.",
      "wide is UTF-32, which is not read here: iconv turns it into UTF-8: edit takes text.",
      "bare is binary, or UTF-16LE without its byte order mark: edit takes text.",
    ]);
  });

  test("fault 162 TL24 text beyond ASCII is not mixed into a file of another encoding", async () => {
    const { run, put, bytes } = scene();
    const latin = "caf\xe9\ntwo\n";
    put("f", Buffer.from(latin, "latin1"));
    const edits = [
      { old_string: "two", new_string: "zwölf" },
      { hash: hashBytes(Buffer.from(latin, "latin1")), op: "replace", start_line: 1, text: "caf\ufffd au lait" },
    ];
    const [mixed, copied] = [
      await run("edit", { path: "f", ...edits[0] }),
      await run("edit", { path: "f", ...edits[1] }),
    ];
    expect([mixed.error?.code, copied.error?.code, bytes("f")]).toEqual(["not_utf8", "not_utf8", latin]);
    const whole = await run("edit", { path: "f", ...edits[1], text: "café" });
    expect([whole.ok, bytes("f")]).toEqual([true, "caf\xc3\xa9\ntwo\n"]);
  });

  test("TL24 a byte order mark is not doubled, and a second one that was there stays", async () => {
    const { run, put, bytes } = scene();
    put("one", "\ufeffa\nb\n");
    put("two", "\ufeff\ufeffa\nb\n");
    for (const path of ["one", "two"]) await run("edit", { path, old_string: "b", new_string: "c" });
    const hash = hashBytes(Buffer.from(bytes("one"), "latin1"));
    await run("edit", { path: "one", hash, op: "replace", start_line: 1, text: "\ufeffA" });
    expect([bytes("one"), bytes("two")]).toEqual(["\xef\xbb\xbfA\nc\n", "\xef\xbb\xbf\xef\xbb\xbfa\nc\n"]);
  });

  test("fault 36 TL25 TL22 half a character is refused, since the file would hold another", async () => {
    const { run, put, text } = scene();
    put("f", "a\n");
    const code = async (name: string, args: object) => (await run(name, { path: "f", ...args })).error?.message;
    const lone =
      "half a character (a lone surrogate, character 2), which UTF-8 can't store. Nothing was written; send the text again.";
    expect(await code("write", { content: "x\ud83cy" })).toBe(`content holds ${lone}`);
    expect(await code("edit", { old_string: "a", new_string: "x\udf0d" })).toBe(`new_string holds ${lone}`);
    expect(await code("edit", { hash: hashText("a\n"), op: "insert", start_line: 1, text: "🌍\ud83c" })).toBe(
      `text holds ${lone}`,
    );
    expect(text("f")).toBe("a\n");
  });
});

describe("what an old_string that is not there may have meant", () => {
  const FILE = 'import os\n\ndef main():\n\tprint("hi")\n\treturn 1\n\ndef other():\n\treturn "it’s"\n';
  test.each([
    ["    return 1", 'It differs in white space at line 5: the file has "\\treturn 1", old_string "    return 1".'],
    [
      'def main():\n    print("hi")\n',
      'It differs in white space at line 4: the file has "\\tprint(\\"hi\\")", old_string "    print(\\"hi\\")".',
    ],
    [
      'return "it\'s"',
      'It differs in quotes, dashes or the form of letters at line 8: the file has "\\treturn \\"it’s\\"", old_string "return \\"it\'s\\"".',
    ],
    ["Import OS", 'It differs in upper and lower case at line 1: the file has "import os", old_string "Import OS".'],
    [
      'print(\\"hi\\")',
      'It differs in escapes at line 4: the file has "\\tprint(\\"hi\\")", old_string "print(\\\\\\"hi\\\\\\")".',
    ],
    ['   3│def main():\n   4│\tprint("hi")', "Without the line numbers of read it is at line 3: leave them out."],
    [
      "import os\\n\\ndef main():",
      "It is at line 1 with real line ends and tabs: it was sent with \\n or \\t as two characters.",
    ],
    ["caf\ufffd", "U+FFFD stands for bytes that are no UTF-8: edit these lines by number (op)."],
    [
      'def main():\n\tprint("hi")\n\treturn 2\n',
      'It begins at line 3, but differs from line 5 on: the file has "\\treturn 1", old_string "\\treturn 2".',
    ],
    [
      'def other():\n\treturn "it’s"\n\nmore',
      'It begins at line 7, but differs from line 9 on: the file ends there, old_string "".',
    ],
    ["   \n\t", "It is nothing but white space."],
    ["nothing like it", "Read it again and copy the text exactly."],
  ])("TL48 %j is told where it differs", async (old_string, help) => {
    const { run, put, text } = scene();
    put("f", FILE);
    expect((await run("edit", { path: "f", old_string, new_string: "" })).error).toEqual({
      kind: "tool",
      code: "old_string_not_found",
      message: `old_string is not in the file. ${help}`,
    });
    expect(text("f")).toBe(FILE);
  });

  test("TL48 of many places the first five are named", async () => {
    const { run, put } = scene();
    put("f", "x\r\n".repeat(8));
    expect((await run("edit", { path: "f", old_string: "x", new_string: "" })).error?.message).toBe(
      "old_string is not unique (8 occurrences): the 8 places begin at lines 1, 2, 3, 4, 5 and 3 more. Add lines around it, or set replace_all.",
    );
  });
});

describe("links, modes and what is no regular file", () => {
  test("fault 171 TL24 TL25 that a hard-linked file had other names is said", async () => {
    const { run, put, path } = scene();
    put("a", "x\n");
    linkSync(path("a"), path("b"));
    linkSync(path("a"), path("c"));
    const last = async (name: string, args: object) => (await run(name, args)).content.split("\n").at(-1);
    expect(await last("edit", { path: "a", old_string: "x", new_string: "y" })).toBe(
      "[a had 3 names (hard links): the others keep the old content]",
    );
    expect(await last("write", { path: "b", content: "z" })).toBe(
      "[b had 2 names (hard links): the other keeps the old content]",
    );
  });

  test("fault 171 TL24 a file whose folder takes no new one stays as it is, and what is left to do is said", async () => {
    const { run, put, path, root, text } = scene();
    chmodSync(root, 0o755);
    mkdirSync(path("d"));
    chmodSync(put("d/f", "x"), 0o666);
    chmodSync(path("d"), 0o555);
    const asRoot = process.getuid?.() === 0;
    if (asRoot) process.seteuid?.(65534); // root may write everything: be nobody for a moment
    try {
      const message = async (file: string) => (await run("write", { path: file, content: "y" })).error?.message;
      expect(await message("d/f")).toEqual(
        "d/f can't be replaced: its folder takes no new file (permission denied). Nothing was written; where the file itself may be written, use bash: cat > file.",
      );
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
    expect([text("d/f"), readdirSync(path("d"))]).toEqual(["x", ["f"]]);
  });

  test("TL24 promise P7 the new content of a private file is at no time readable by others", async () => {
    const { put, path, root } = scene();
    chmodSync(put("secret", "old"), 0o600);
    const modes: number[] = [];
    await replaceFile(placeOf(path("secret")), {
      bytes: Buffer.from("new"),
      before: statSync(path("secret")),
      signal: new AbortController().signal,
      async verify() {
        modes.push(...readdirSync(root).map((name) => statSync(path(name)).mode & 0o777));
      },
    });
    expect(modes).toEqual([0o600, 0o600]);
  });

  test("fault 166 fault 167 B13 five pipes at once, however they are used, leave the process responsive", async () => {
    const { run, put, path } = scene({ confine: "off" });
    const pipes = ["p1", "p2", "p3", "p4", "p5"];
    execFileSync("mkfifo", pipes.map(path));
    put("ok", "fine\n");
    const calls = pipes.flatMap((name) => [
      run("read", { path: name }),
      run("write", { path: name, content: "x" }),
      run("edit", { path: name, old_string: "x", new_string: "y" }),
      run("code_grep", { pattern: "x", path: name }),
    ]);
    const codes = (await Promise.all(calls)).map(({ error }) => error?.code);
    expect(codes).toEqual(codes.map(() => "not_regular"));
    expect((await run("code_grep", { pattern: "fine" })).content).toContain("ok:1: fine");
    expect((await run("read", { path: "/proc/self/mem" })).error?.code).toBe("io_error");
    expect(await readFile(path("ok"), "utf8")).toBe("fine\n"); // a thread is free
  });

  test("fault 168 names of every kind are written and read, or refused in words", async () => {
    const { run, root, path, text } = scene();
    for (const name of ["-rf", "a\nb", "\u001b[31m", "\u202etxt.exe", " lead", "naïve 音.txt", "$HOME", "a'b\"c"]) {
      const made = await run("write", { path: name, content: "x" });
      expect([name, made.ok, text(name)]).toEqual([name, true, "x"]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
      expect(made.content).not.toMatch(/[\u0000-\u001f\u202e]/);
      expect((await run("read", { path: name })).ok).toBe(true);
    }
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x61])]);
    mkdirSync(odd);
    symlinkSync(odd, path("link"));
    for (const name of ["link/f", "half\ud83c"]) {
      expect((await run("write", { path: name, content: "x" })).error?.code).toBe("bad_path");
    }
    expect([readdirSync(odd), existsSync(path("\ufffda"))]).toEqual([[], false]);
    expect((await run("write", { path: "new\ufffdname", content: "" })).error?.code).toBe("bad_path");
  });

  test("fault 169 TL23 the last look before the rename finds a file that changed or went while it was edited", async () => {
    const { put, path } = scene();
    const { signal } = new AbortController();
    put("f", "a\n");
    expect(await requireUnchanged(placeOf(path("f")), hashText("a\n"), signal)).toBeUndefined();
    put("f", "b\n");
    await expect(requireUnchanged(placeOf(path("f")), hashText("a\n"), signal)).rejects.toMatchObject({
      code: "stale_hash",
      message: `f has changed since it was read: its hash is now ${hashText("b\n")}. Nothing was written; read it again, then edit.`,
    });
    await expect(requireUnchanged(placeOf(path("gone")), hashText("a\n"), signal)).rejects.toMatchObject({
      code: "stale_hash",
      message: "f was deleted or moved while it was edited. Nothing was written.",
    });
  });

  test("TL25 TL10 a call that was given up writes nothing afterwards", async () => {
    const { run, put, text, root, cancel } = scene();
    put("f", "old");
    const running = run("write", { path: "f", content: "new" });
    cancel.request("ctrl-c");
    expect((await running).error?.code).toBe("cancelled");
    expect([text("f"), readdirSync(root)]).toEqual(["old", ["f"]]);
  });
});

const placeOf = (path: string, within: readonly string[] | null = null) => ({
  ...{ real: path, absolute: path, shown: "f", within },
});

describe.skipIf(process.platform !== "linux")("a symlink that is put in the way after the path was checked", () => {
  const swapped = () => {
    const inner = scene();
    const outer = scene();
    const place = placeOf(inner.path("d/f"), [inner.root]);
    symlinkSync(outer.root, inner.path("d"));
    return { inner, outer, place };
  };

  test("fault 172 TL14 a write through it is refused, and nothing lands outside", async () => {
    const { outer, place } = swapped();
    const replacement = { bytes: Buffer.from("x"), before: null, signal: new AbortController().signal };
    await expect(replaceFile(place, replacement)).rejects.toMatchObject({ code: "ENOTDIR" });
    expect(readdirSync(outer.root)).toEqual([]);
  });

  test("fault 172 TL14 one further up is found out by where the folder really is", async () => {
    const { inner, outer } = swapped();
    mkdirSync(outer.path("e"));
    const place = placeOf(inner.path("d/e/f"), [inner.root]);
    const replacement = { bytes: Buffer.from("x"), before: null, signal: new AbortController().signal };
    await expect(replaceFile(place, replacement)).rejects.toMatchObject({ code: "path_escape" });
    await expect(makeFolder(placeOf(inner.path("d/e/g/f"), [inner.root]))).rejects.toMatchObject({
      code: "path_escape",
    });
    await expect(makeFolder(placeOf(inner.path("d/g/f"), [inner.root]))).rejects.toMatchObject({ code: "ENOTDIR" });
    expect([readdirSync(outer.root), readdirSync(outer.path("e"))]).toEqual([["e"], []]);
  });

  test("fault 172 TL14 a read under confine all is refused, too", async () => {
    const inner = scene({ confine: "all" });
    const outer = scene();
    writeFileSync(outer.path("f"), "secret");
    symlinkSync(outer.root, inner.path("d"));
    const { openRegular } = await import("../src/disk-file.ts");
    await expect(openRegular(placeOf(inner.path("d/f"), [inner.root]))).rejects.toMatchObject({ code: "path_escape" });
  });
});

test("TL14 promise P7 what a refused write names is not even looked at", () => {
  const { tool, context, path } = scene();
  vi.stubEnv("TMPDIR", path("temp"));
  mkdirSync(path("temp"));
  const targets = (confine: "writes" | "off") => {
    const inner = confine === "off" ? scene({ confine }) : null;
    return (inner?.tool("write") ?? tool("write")).targets?.({ path: "/etc/hostname" }, context());
  };
  expect([targets("writes"), targets("off")]).toEqual([[], ["/etc/hostname"]]);
  vi.unstubAllEnvs();
});

import { chmodSync, linkSync, lstatSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hashBytes, hashText } from "../src/index.ts";
import { scene } from "./scene.ts";

/** A file, and edits of it that bring the right hash along. */
function fileScene(content: string | Uint8Array) {
  const all = scene();
  all.put("f", content);
  const edit = (args: Record<string, unknown>) => {
    const hash = "op" in args ? { hash: hashBytes(Buffer.from(all.bytes("f"), "latin1")) } : {};
    return all.run("edit", { path: "f", ...hash, ...args });
  };
  /** The file after the edit; or the refusal's code. */
  const after = async (args: Record<string, unknown>) => {
    const { ok, error } = await edit(args);
    return ok ? all.bytes("f") : error?.code;
  };
  return { ...all, edit, after };
}

const edited = (content: string | Uint8Array, args: Record<string, unknown>) => fileScene(content).after(args);

describe("edit by lines", () => {
  test("TL22 replace tells range, delta, new hash and a snippet", async () => {
    const { edit, path } = fileScene("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    const now = "1\n2\n3\n4\nA\nB\nC\n7\n8\n9\n10\n";
    expect(await edit({ op: "replace", start_line: 5, end_line: 6, text: "A\nB\nC" })).toEqual({
      ok: true,
      content: `edited f lines 5-7 (+1) new_hash ${hashText(now)}\n   2│2\n   3│3\n   4│4\n   5│A\n   6│B\n   7│C\n   8│7\n   9│8\n  10│9`,
      files: [{ path: path("f"), hash_before: hashText("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"), hash_after: hashText(now) }],
      metadata: { first_line: 5 },
    });
  });

  test("TL22 insert puts lines before start_line, N+1 appends", async () => {
    expect(await edited("a\nb\n", { op: "insert", start_line: 2, text: "X" })).toBe("a\nX\nb\n");
    expect(await edited("a\nb\n", { op: "insert", start_line: 3, text: "X" })).toBe("a\nb\nX\n");
    expect(await edited("a\nb", { op: "insert", start_line: 3, text: "X\nY\n" })).toBe("a\nb\nX\nY");
    expect(await edited("", { op: "insert", start_line: 1, text: "X\n" })).toBe("X\n");
    const { edit } = fileScene("a\nb\n");
    expect((await edit({ op: "insert", start_line: 3, text: "X\nY" })).content).toMatch(/^edited f lines 3-4 \(\+2\) /);
  });

  test("TL22 delete takes the lines away", async () => {
    expect(await edited("a\nb\nc\n", { op: "delete", start_line: 2 })).toBe("a\nc\n");
    expect(await edited("a\nb\nc\n", { op: "delete", start_line: 1, end_line: 3 })).toBe("");
    const { edit } = fileScene("a\nb\nc\nd\n");
    expect((await edit({ op: "delete", start_line: 2, end_line: 3 })).content).toBe(
      `edited f lines 2-3 (-2) new_hash ${hashText("a\nd\n")}\n   1│a\n   2│d`,
    );
  });

  test("TL22 replace with no text leaves one empty line", async () => {
    expect(await edited("a\nb\nc\n", { op: "replace", start_line: 2, text: "" })).toBe("a\n\nc\n");
    expect(await edited("a\nb\nc\n", { op: "replace", start_line: 1, end_line: 3, text: "" })).toBe("\n");
  });

  test("TL22 text without a final newline gets one where lines follow", async () => {
    expect(await edited("a\nb\nc\n", { op: "replace", start_line: 2, text: "X\nY\n" })).toBe("a\nX\nY\nc\n");
    expect(await edited("a\nb\nc\n", { op: "replace", start_line: 2, text: "X\nY" })).toBe("a\nX\nY\nc\n");
  });

  test("fault 162 TL24 the final newline, or its absence, is kept", async () => {
    expect(await edited("a\nb", { op: "replace", start_line: 2, text: "X\n" })).toBe("a\nX");
    expect(await edited("a\nb\n", { op: "replace", start_line: 2, text: "X" })).toBe("a\nX\n");
    expect(await edited("a\nb", { op: "delete", start_line: 2 })).toBe("a");
    expect(await edited("a\nb", { op: "replace", start_line: 1, text: "X" })).toBe("X\nb");
  });

  test("fault 162 B01 TL24 CRLF is carried through, given as LF or not at all", async () => {
    const file = "one\r\ntwo\r\nthree\r\n";
    for (const text of ["TWO", "TWO\n", "TWO\r\n"]) {
      expect(await edited(file, { op: "replace", start_line: 2, text })).toBe("one\r\nTWO\r\nthree\r\n");
    }
    expect(await edited(file, { op: "replace", start_line: 2, text: "A\nB" })).toBe("one\r\nA\r\nB\r\nthree\r\n");
    expect(await edited(file, { op: "insert", start_line: 4, text: "end" })).toBe(`${file}end\r\n`);
  });

  test("fault 162 B01 TL24 in a file of mixed ends every line keeps its own", async () => {
    const mixed = "a\r\nb\nc\r\nd\n";
    expect(await edited(mixed, { op: "replace", start_line: 2, text: "B" })).toBe("a\r\nB\nc\r\nd\n");
    expect(await edited(mixed, { op: "replace", start_line: 2, end_line: 3, text: "B\nC" })).toBe("a\r\nB\nC\r\nd\n");
    expect(await edited(mixed, { old_string: "b\nc\n", new_string: "B\nC\n" })).toBe("a\r\nB\nC\r\nd\n");
  });

  test("fault 162 B16 TL24 a byte order mark and bytes that are no UTF-8 stay", async () => {
    const bytes = Buffer.from("\xef\xbb\xbfcaf\xe9\ntwo\n", "latin1");
    expect(await edited(bytes, { op: "replace", start_line: 2, text: "2" })).toBe("\xef\xbb\xbfcaf\xe9\n2\n");
    expect(await edited(bytes, { op: "replace", start_line: 1, text: "x" })).toBe("\xef\xbb\xbfx\ntwo\n");
  });

  test("fault 171 TL24 mode bits and symlinks are kept, and nothing is left beside the file", async () => {
    const { run, put, path, text, root } = scene();
    chmodSync(put("run.sh", "a\n"), 0o755);
    symlinkSync("run.sh", path("link"));
    await run("edit", { path: "link", old_string: "a", new_string: "b" });
    expect([text("run.sh"), statSync(path("run.sh")).mode & 0o7777]).toEqual(["b\n", 0o755]);
    expect([lstatSync(path("link")).isSymbolicLink(), readdirSync(root).sort()]).toEqual([true, ["link", "run.sh"]]);
  });

  test("TL22 lines that are not there are named with the count", async () => {
    const message = async (args: Record<string, unknown>) => (await fileScene("a\nb\n").edit(args)).error?.message;
    expect(await message({ op: "replace", start_line: 3, text: "x" })).toBe(
      "start_line 3 is past the end: the file has 2 lines.",
    );
    expect(await message({ op: "delete", start_line: 1, end_line: 9 })).toBe(
      "end_line 9 is past the end: the file has 2 lines.",
    );
    expect(await message({ op: "delete", start_line: 2, end_line: 1 })).toBe("end_line 1 is before start_line 2.");
    expect(await message({ op: "insert", start_line: 4, text: "x" })).toBe(
      "start_line 4: the file has 2 lines; 3 appends.",
    );
  });

  test("fault 169 B08 TL23 a stale hash is refused, the file untouched, the current hash told", async () => {
    const { run, put, text } = scene();
    put("f", "a\nUSER\nc\n");
    const stale = { path: "f", hash: hashText("a\nb\nc\n") };
    for (const edit of [
      { ...stale, op: "replace", start_line: 3, text: "C" },
      { ...stale, old_string: "c", new_string: "C" },
    ]) {
      expect(await run("edit", edit)).toEqual({
        ok: false,
        content: "",
        error: {
          kind: "tool",
          code: "stale_hash",
          message: `f has changed since it was read: its hash is now ${hashText("a\nUSER\nc\n")}. Nothing was written; read it again, then edit.`,
        },
      });
    }
    expect(text("f")).toBe("a\nUSER\nc\n");
  });

  test("fault 170 B05 TL23 of two edits at once with one hash, the second is told that the file changed", async () => {
    const { run, put, text } = scene();
    const lines = Array.from({ length: 40 }, (_, i) => `${i + 1}`);
    put("n", `${lines.join("\n")}\n`);
    const hash = hashText(`${lines.join("\n")}\n`);
    const outcomes = await Promise.all([
      run("edit", { path: "n", hash, op: "replace", start_line: 10, text: "TEN" }),
      run("edit", { path: "n", hash, op: "replace", start_line: 30, text: "THIRTY" }),
    ]);
    expect(outcomes.map(({ ok, error }) => [ok, error?.code])).toEqual([
      [true, undefined],
      [false, "stale_hash"],
    ]);
    expect(text("n")).toBe(`${lines.with(9, "TEN").join("\n")}\n`);
  });

  test("fault 170 fault 171 B05 edits by exact text at once, by two sessions and through a symlink, all land", async () => {
    const { run, put, path, text } = scene();
    const other = scene();
    put("n", `${Array.from({ length: 20 }, (_, i) => `<${i}>`).join("\n")}\n`);
    symlinkSync("n", path("link"));
    const edits = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? other : { run }).run("edit", {
        path: path(i % 3 ? "n" : "link"),
        old_string: `<${i}>`,
        new_string: `[${i}]`,
      }),
    );
    expect((await Promise.all(edits)).every(({ ok }) => ok)).toBe(true);
    expect(text("n")).toBe(`${Array.from({ length: 20 }, (_, i) => `[${i}]`).join("\n")}\n`);
  });

  test("B02 B09 dollar patterns and entities are literal in both forms", async () => {
    const text = "X=$$ Y=$& Z=$' W=$1 V=$` &amp;&lt; \\n";
    expect(await edited("A=1\nB=2\n", { op: "replace", start_line: 1, text })).toBe(`${text}\nB=2\n`);
    expect(await edited("A=1\nB=2\n", { old_string: "A=1", new_string: text })).toBe(`${text}\nB=2\n`);
    expect(await edited(`${text}\n`, { old_string: "$& Z", new_string: "ok" })).toBe(
      "X=$$ Y=ok=$' W=$1 V=$` &amp;&lt; \\n\n",
    );
  });

  test("TL24 a long change shows its head and tail", async () => {
    const { edit } = fileScene("a\n");
    const text = Array.from({ length: 100 }, (_, i) => `l${i + 1}`).join("\n");
    const shown = (await edit({ op: "replace", start_line: 1, text })).content.split("\n");
    expect([shown.length, shown[20], shown[21], shown[22]]).toEqual([
      42,
      "  20│l20",
      "[… 60 lines not shown …]",
      "  81│l81",
    ]);
  });

  test("TL22 an edit that changes nothing is refused", async () => {
    expect(await edited("a\n", { op: "replace", start_line: 1, text: "a" })).toBe("no_change");
    expect(await edited("a\n", { old_string: "a", new_string: "a" })).toBe("no_change");
  });

  test("TL22 what is no text file is refused", async () => {
    const { run, put } = scene();
    put("bin", Buffer.from([65, 0]));
    const error = async (path: string) => (await run("edit", { path, old_string: "A", new_string: "B" })).error;
    expect((await error("bin"))?.code).toBe("binary");
    expect((await error("."))?.code).toBe("is_directory");
    expect((await error("bim"))?.message).toBe("bim does not exist. Did you mean bin?");
  });

  test("fault 169 TL24 a file that changes between the check and the rename is not overwritten", async () => {
    const { root } = scene();
    const { replaceFile } = await import("../src/disk-file.ts");
    const path = `${root}/f`;
    writeFileSync(path, "old");
    const verify = () => Promise.reject(new Error("changed"));
    const { signal } = new AbortController();
    const place = { real: path, absolute: path, shown: "f", within: null };
    const replacement = { bytes: Buffer.from("new"), before: statSync(path), signal, verify };
    await expect(replaceFile(place, replacement)).rejects.toThrow("changed");
    expect(readdirSync(root)).toEqual(["f"]);
  });

  test("fault 171 TL24 editing one name of a hard-linked file parts it from the other", async () => {
    const { run, put, path, text } = scene();
    put("a", "x\n");
    linkSync(path("a"), path("b"));
    await run("edit", { path: "a", old_string: "x", new_string: "y" });
    expect([text("a"), text("b")]).toEqual(["y\n", "x\n"]);
  });
});

describe("edit by exact text", () => {
  test("TL48 a unique match is replaced, and where it was is told", async () => {
    const { edit, text } = fileScene("a\nb\nc\n");
    expect((await edit({ old_string: "b\n", new_string: "B1\nB2\n" })).content).toBe(
      `edited f lines 2-3 (+1) new_hash ${hashText("a\nB1\nB2\nc\n")}\n   1│a\n   2│B1\n   3│B2\n   4│c`,
    );
    expect(text("f")).toBe("a\nB1\nB2\nc\n");
  });

  test("TL48 no match and several matches are refused by name", async () => {
    const error = async (args: Record<string, unknown>) => (await fileScene("x\ny\nx\nx\n").edit(args)).error;
    expect(await error({ old_string: "zz", new_string: "" })).toEqual({
      kind: "tool",
      code: "old_string_not_found",
      message: "old_string is not in the file. Read it again and copy the text exactly.",
    });
    expect(await error({ old_string: "x", new_string: "z" })).toEqual({
      kind: "tool",
      code: "old_string_not_unique",
      message:
        "old_string is not unique (3 occurrences): the 3 places begin at lines 1, 3 and 4. Add lines around it, or set replace_all.",
    });
    expect(await edited("}\n}\n}\n", { old_string: "}\n}\n", new_string: "" })).toBe("old_string_not_unique");
  });

  test("TL48 replace_all replaces each, and a new_string may be empty", async () => {
    const { edit, text } = fileScene("x\ny\nx\n");
    const { content } = await edit({ old_string: "x", new_string: "zz", replace_all: true });
    expect(content.split("\n")[0]).toBe(`edited f lines 1-3 (+0) new_hash ${hashText("zz\ny\nzz\n")}`);
    expect(text("f")).toBe("zz\ny\nzz\n");
    expect(await edited("a\nb\nc\n", { old_string: "b\n", new_string: "" })).toBe("a\nc\n");
  });

  test("B01 TL48 line ends match whatever their kind, and are kept", async () => {
    expect(await edited("a\r\nb\r\nc\r\n", { old_string: "a\nb\n", new_string: "A\nX\nB\n" })).toBe(
      "A\r\nX\r\nB\r\nc\r\n",
    );
    expect(await edited("a\nb\n", { old_string: "a\r\nb", new_string: "A\r\nB" })).toBe("A\nB\n");
    expect(await edited("x\r\ny\r\nx\r\n", { old_string: "x\n", new_string: "z\n", replace_all: true })).toBe(
      "z\r\ny\r\nz\r\n",
    );
  });

  test("TL48 text beyond ASCII matches whole characters", async () => {
    const { edit, text } = fileScene("naïve 音 🌍\n");
    await edit({ old_string: "音", new_string: "楽" });
    expect(text("f")).toBe("naïve 楽 🌍\n");
  });

  test("TL48 hash may be left out, and is checked when given", async () => {
    const { run, put } = scene();
    put("f", "a\n");
    const args = { path: "f", old_string: "a", new_string: "b" };
    expect((await run("edit", { ...args, hash: "0".repeat(16) })).error?.code).toBe("stale_hash");
    expect((await run("edit", { ...args, hash: hashText("a\n") })).ok).toBe(true);
  });
});

describe("the arguments of edit", () => {
  test("TL22 TL48 each form says what it lacks and what it does not take", () => {
    const { refused } = scene();
    const said = (args: object) => refused("edit", { path: "f", ...args });
    const lines = { hash: "h", start_line: 1 };
    expect(said({})).toEqual(["give op (replace, insert, delete) or old_string and new_string"]);
    expect(said({ op: "replace", start_line: 1, text: "" })).toEqual([
      'op "replace" needs hash: the one that read, write or edit showed last',
    ]);
    expect(said({ op: "delete", hash: "h" })).toEqual(['op "delete" needs start_line']);
    expect(said({ ...lines, op: "insert", text: "x", end_line: 2 })).toEqual(['op "insert" takes no end_line']);
    expect(said({ ...lines, op: "delete", text: "x" })).toEqual(['op "delete" takes no text']);
    expect(said({ ...lines, op: "replace" })).toEqual(['op "replace" needs text']);
    expect(said({ old_string: "a", new_string: "b", op: "delete" })).toEqual([
      "old_string/new_string takes no op: use one form or the other",
    ]);
    expect(said({ old_string: "a" })).toEqual(['new_string is missing ("" deletes)']);
    expect(said({ new_string: "a" })).toEqual(["old_string is missing"]);
    expect(said({ old_string: "", new_string: "a" })).toEqual([
      'old_string must not be empty: use op "insert", or write for a new file',
    ]);
    expect(said({ ...lines, op: "delete", lines: 3 })).toEqual(['Unrecognized key: "lines"']);
    expect(said({ ...lines, op: "delete", start_line: 0 })).toEqual(["Too small: expected number to be >=1"]);
  });

  test("TL50 the line for people names path and line", async () => {
    const { run, tool, put } = scene();
    put("f", "a\nb\n");
    const args = { path: "f", old_string: "b", new_string: "c" };
    expect(tool("edit").result_renderer?.(args, await run("edit", args))).toBe("f line 2 ok");
  });
});

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SAMPLES } from "./code-samples.ts";
import { ENGINES, project } from "./code-scene.ts";

test.each(Object.keys(SAMPLES))("TL29 TL30 the outline of %s tells kinds and lines, nested", async (name) => {
  const sample = SAMPLES[name];
  const { lines } = project("ripgrep", { [name]: sample?.source ?? "" });
  expect((await lines("code_outline", { path: name })).join("\n")).toBe(sample?.outline);
});

test("TL30 an outline names what it can't do: a folder, a pipe, a binary, another language, a missing file", async () => {
  const { lines, put, root } = project("ripgrep", { "a.md": "# x\n", "b.ts": "a\0b", "c.ts": "// nothing\n" });
  execFileSync("mkfifo", [join(root, "pipe.ts")]);
  put("big.ts", "const x = 1;\n".repeat(100_000));
  const told = async (path: string) => (await lines("code_outline", { path }))[0];
  expect(await told("src")).toMatch(/^not_found: src does not exist/);
  expect(await told(".")).toBe("is_directory: . is a directory. code_outline takes one file; code_map draws folders.");
  expect(await told("pipe.ts")).toBe("not_regular: pipe.ts is not a regular file (named pipe).");
  expect(await told("b.ts")).toBe("outline_binary: b.ts is binary: it has no outline.");
  expect(await told("a.md")).toMatch(/^outline_language: a.md is in no language that can be outlined \(TypeScript, /);
  expect(await told("big.ts")).toMatch(/^outline_large: big.ts is over 1 MiB/);
  expect(await told("c.ts")).toBe("no symbols (TypeScript)");
});

test("TL30 a script is known by its first line, a byte order mark hides nothing, and errors are told", async () => {
  const { lines } = project("ripgrep", {
    run: "#!/usr/bin/env python3\ndef go(): pass\n",
    "bom.ts": "\ufefffunction first() {}\r\nfunction second() {}\r\n",
    "broken.ts": "function good() {}\nfunction ( {{{\n",
  });
  expect(await lines("code_outline", { path: "run" })).toEqual(["2 function go"]);
  expect(await lines("code_outline", { path: "bom.ts" })).toEqual(["1 function first", "2 function second"]);
  expect(await lines("code_outline", { path: "broken.ts" })).toEqual([
    "1 function good",
    "[the file has syntax errors as TypeScript: symbols near them may be missing]",
  ]);
});

test("TL30 an outline too long leaves out what is innermost, then its end, and says how much", async () => {
  const body = (n: number) => `class Class${n} {\n${"  method() {}\n".repeat(30)}}\n`;
  const { call } = project("ripgrep", { "a.ts": Array.from({ length: 100 }, (_, n) => body(n)).join("") });
  const { outcome, line } = await call("code_outline", { path: "a.ts" }, {});
  expect(outcome.content.split("\n")).toEqual([
    ...Array.from({ length: 100 }, (_, n) => `${1 + n * 32} class Class${n}`),
    "[3000 more symbols: use code_symbols or code_grep with path]",
  ]);
  expect(line).toBe("3100 symbols");
});

describe.each(ENGINES)("code_symbols with %s", (engine) => {
  const FILES = {
    "src/user.ts":
      "export class UserService {\n  save() {}\n}\nexport function saveUser() {}\nconst user_service = 1;\n",
    "src/shop.py": "class Shop:\n    def save(self): pass\n",
    "test/user.test.ts": "function saveUser() {}\n",
    "dist/user.js": "function saveUser() {}\n",
    "notes.md": "saveUser\n",
    ".gitignore": "dist/\n",
  };
  const SLOW = "[ripgrep could not be used: this is a slower built-in search]";
  const scene = () => {
    const { lines } = project(engine, FILES);
    return async (args: object) => (await lines("code_symbols", args)).filter((line) => line !== SLOW);
  };

  test("TL29 TL31 the very name goes first, then case, beginnings and parts; ignored files are not looked at", async () => {
    const found = scene();
    expect(await found({ query: "saveUser" })).toEqual([
      "src/user.ts:4 function saveUser",
      "test/user.test.ts:1 function saveUser",
    ]);
    expect(await found({ query: "user" })).toEqual([
      "src/user.ts:1 class UserService",
      "src/user.ts:5 const user_service",
      "src/user.ts:4 function saveUser",
      "test/user.test.ts:1 function saveUser",
    ]);
    expect(await found({ query: "user service" })).toEqual([
      "src/user.ts:1 class UserService",
      "src/user.ts:5 const user_service",
    ]);
    expect(await found({ query: "user", max_results: 1 })).toEqual([
      "src/user.ts:1 class UserService",
      "[3 more symbols; narrow it with path, kind or the query]",
    ]);
  });

  test("TL29 a name may say what it stands in, and kind and path narrow the search", async () => {
    const found = scene();
    expect(await found({ query: "save", kind: "method" })).toEqual([
      "src/shop.py:2 method save (in Shop)",
      "src/user.ts:2 method save (in UserService)",
    ]);
    for (const query of ["Shop.save", "shop::save()", "Shop#save"]) {
      expect(await found({ query })).toEqual(["src/shop.py:2 method save (in Shop)"]);
    }
    expect(await found({ query: "save", path: "src/shop.py" })).toEqual(["src/shop.py:2 method save (in Shop)"]);
    expect(await found({ query: "saveUser", path: "test" })).toEqual(["test/user.test.ts:1 function saveUser"]);
  });

  test("TL29 nothing found says where it was looked, and what is no kind or name is refused", async () => {
    const found = scene();
    expect(await found({ query: "nothing" })).toEqual(["no matches: no symbol of that name in 0 source files"]);
    expect(await found({ query: "saveUser", kind: "class" })).toEqual([
      "no matches: no class of that name in 2 source files",
      "[2 symbols of other kinds: function]",
    ]);
    expect((await found({ query: "x", kind: "thing" }))[0]).toMatch(
      /^bad_kind: There is no kind "thing"\. The kinds are: class, /,
    );
    for (const query of ["", " ", "::", "()", "**"]) expect((await found({ query }))[0]).toMatch(/^bad_query: /);
  });

  test("B81 TL29 a query that looks like an option or a pattern is a name", async () => {
    const found = scene();
    for (const query of ["-qq", "--files", "-vv", "a[", "(?i)x", "\\", "^", "$"]) {
      const [first] = await found({ query });
      expect([query, first]).toEqual([query, expect.stringMatching(/^(no matches: |bad_query: )/)]);
    }
  });
});

test("TL29 a file is parsed again when it changed, however fast, and not when it did not", async () => {
  const { lines, put } = project("ripgrep", { "a.ts": "function one() {}\n" });
  const find = (query: string) => lines("code_symbols", { query });
  expect(await find("one")).toEqual(["a.ts:1 function one"]);
  for (const name of ["two", "six", "ten"]) {
    put("a.ts", `function ${name}() {}\n`); // of one size each time
    expect(await find(name)).toEqual([`a.ts:1 function ${name}`]);
    expect(await lines("code_outline", { path: "a.ts" })).toEqual([`1 function ${name}`]);
  }
});

test("TL29 files that can't be parsed are told beside the symbols", async () => {
  const { lines, put } = project("ripgrep", { "a.ts": "function find() {}\n" });
  put("big.ts", "find();\n".repeat(200_000));
  expect(await lines("code_symbols", { query: "find" })).toEqual([
    "a.ts:1 function find",
    "[1 file over 1 MiB not parsed]",
  ]);
});

test("TL29 a cancel is an error with its reason; a time that is up is not told as no matches", async () => {
  const { call, lines, cancel } = project("ripgrep", { "a.ts": "function find() {}\n" });
  expect(await lines("code_symbols", { query: "find" }, { options: { search_s: 0 } })).toEqual([
    "no matches so far",
    "[time ran out: these are the symbols so far; narrow the search with path]",
  ]);
  cancel.request("ctrl-c");
  const { outcome } = await call("code_symbols", { query: "find" }, {});
  expect(outcome.error).toEqual({ kind: "cancelled", code: "cancelled", message: "ctrl-c" });
});

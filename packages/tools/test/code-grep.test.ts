import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { cutAround } from "../src/code/hits.ts";
import { expandBraces } from "../src/code/rules.ts";
import { ENGINES, project } from "./code-scene.ts";
import { isRunning, until } from "./scene.ts";

describe.each(ENGINES)("code_grep with %s", (engine) => {
  test("TL27 code_grep gives path:line: text, source first, then other text, tests and generated files", async () => {
    const { lines, call } = project(engine, {
      "README.md": "call load() first\n",
      "dist/app.min.js": "load()\n",
      "src/a.ts": "export function load() {}\n",
      "src/b.ts": "load();\nno\n  load();\n",
      "test/a.test.ts": "load()\n",
    });
    expect(await lines("code_grep", { pattern: "load\\(" })).toEqual([
      "src/b.ts:1: load();",
      "src/b.ts:3:   load();",
      "src/a.ts:1: export function load() {}",
      "README.md:1: call load() first",
      "test/a.test.ts:1: load()",
      "dist/app.min.js:1: load()",
    ]);
    expect((await call("code_grep", { pattern: "load\\(" }, {})).line).toBe("6 matches in 5 files");
    expect((await call("code_grep", { pattern: "Call" }, {})).line).toBe("0 matches in 0 files");
  });

  test("TL27 a line with several hits is told once", async () => {
    const { lines } = project(engine, { "a.ts": "x x x\n" });
    expect(await lines("code_grep", { pattern: "x" })).toEqual(["a.ts:1: x x x"]);
  });

  test("TL27 ignore_case, literal and glob narrow or widen the search", async () => {
    const { lines } = project(engine, { "a.ts": "Foo(1)\nfoo.1.\n", "a.js": "foo(1)\n", "lib/c.tsx": "foo(1)\n" });
    expect(await lines("code_grep", { pattern: "foo(1)", literal: true })).toEqual([
      "a.js:1: foo(1)",
      "lib/c.tsx:1: foo(1)",
    ]);
    expect(await lines("code_grep", { pattern: "foo.1.", ignore_case: true, glob: "*.{ts,tsx}" })).toEqual([
      "a.ts:1: Foo(1)",
      "a.ts:2: foo.1.",
      "lib/c.tsx:1: foo(1)",
    ]);
    expect(await lines("code_grep", { pattern: "foo", glob: "!*.ts" })).toEqual([
      "a.js:1: foo(1)",
      "lib/c.tsx:1: foo(1)",
    ]);
    expect(await lines("code_grep", { pattern: "foo", glob: "*.rs" })).toEqual(["no matches: no file fits *.rs"]);
  });

  test("TL27 a glob with folders starts at the folder searched or at the project root", async () => {
    const { lines } = project(engine, { "pkg/src/a.ts": "x\n", "pkg/src/in/b.ts": "x\n", "src/c.ts": "x\n" });
    const files = async (args: object) => await lines("code_grep", { pattern: "x", ...args });
    expect(await files({ glob: "src/*.ts" })).toEqual(["src/c.ts:1: x"]);
    expect(await files({ glob: "src/*.ts", path: "pkg" })).toEqual(["pkg/src/a.ts:1: x"]);
    expect(await files({ glob: "pkg/src/**/*.ts", path: "pkg" })).toEqual([
      "pkg/src/a.ts:1: x",
      "pkg/src/in/b.ts:1: x",
    ]);
  });

  test("TL27 context lines stand around the hit, once each, with a gap between groups", async () => {
    const text = Array.from({ length: 12 }, (_, i) => (i === 2 || i === 4 || i === 10 ? "hit" : `l${i + 1}`)).join(
      "\n",
    );
    const { lines } = project(engine, { "a.ts": `${text}\n` });
    expect(await lines("code_grep", { pattern: "hit", context: 1 })).toEqual([
      "a.ts-2- l2",
      "a.ts:3: hit",
      "a.ts-4- l4",
      "a.ts:5: hit",
      "a.ts-6- l6",
      "--",
      "a.ts-10- l10",
      "a.ts:11: hit",
      "a.ts-12- l12",
    ]);
    expect(await lines("code_grep", { pattern: "hit", context: 1, max_results: 1 })).toEqual([
      "a.ts-2- l2",
      "a.ts:3: hit",
      "a.ts-4- l4",
      "[2 more matches (3 in 1 file); narrow the search with path, glob or the pattern]",
    ]);
  });

  test("TL27 max_results bounds the hits, no file crowds out the others, and the last line says what is missing", async () => {
    const many = "x\n".repeat(100);
    const { lines } = project(engine, { "a.ts": many, "b.ts": "x\n", "c.ts": "x\n" });
    const shown = await lines("code_grep", { pattern: "x", max_results: 30 });
    expect(shown.slice(-3)).toEqual([
      "b.ts:1: x",
      "c.ts:1: x",
      "[72 more matches (102 in 3 files); narrow the search with path, glob or the pattern]",
    ]);
    expect(shown.length).toBe(31);
    expect((await lines("code_grep", { pattern: "x", max_results: 1 })).at(-1)).toBe(
      "[101 more matches (102 in 3 files, 2 files of them not shown at all); narrow the search with path, glob or the pattern]",
    );
  });

  test("TL27 a long line is cut to 300 characters around the hit", async () => {
    const { lines } = project(engine, { "a.js": `${"é".repeat(5000)}hit${"b".repeat(5000)}\n` });
    expect(await lines("code_grep", { pattern: "hit" })).toEqual([`a.js:1: …${"é".repeat(100)}hit${"b".repeat(197)}…`]);
  });

  test("TL27 fault 173 the answer stays within 20,000 characters for a million hits", async () => {
    const { call, put } = project(engine);
    put("big.txt", "0123456 some line\n".repeat(engine === "ripgrep" ? 1_000_000 : 400_000));
    const { outcome } = await call("code_grep", { pattern: "some", max_results: 1000 }, {});
    expect(outcome.metadata).toEqual({ summary: "5000 matches in 1 file", matches: 5000, files: 1 });
    expect(outcome.content.length).toBeLessThanOrEqual(20_000);
    expect(outcome.content).toMatch(/\n\[at least \d+ more matches \(at least 5000 in 1 file\); narrow/);
  });

  test("TL31 ignored files are never found, in a git repo or not, by any glob", async () => {
    const { lines, root } = project(engine, {
      ".gitignore": "node_modules\ndist/\nsecret.ts\n*.gen.ts\n!keep.gen.ts\n",
      "node_modules/m/index.ts": "x\n",
      "dist/o.ts": "x\n",
      "secret.ts": "x\n",
      "a.gen.ts": "x\n",
      "keep.gen.ts": "x\n",
      "sub/.gitignore": "/local.ts\n",
      "sub/local.ts": "x\n",
      "sub/deep/local.ts": "x\n",
    });
    const found = ["keep.gen.ts:1: x", "sub/deep/local.ts:1: x"];
    for (const project_root of [null, root]) {
      if (project_root !== null) execFileSync("git", ["init", "-q"], { cwd: root });
      for (const args of [{}, { glob: "*" }, { glob: "*.ts" }, { glob: "**/*.ts" }]) {
        expect({ args, found: await lines("code_grep", { pattern: "x", ...args }, { project_root }) }).toEqual({
          args,
          found,
        });
      }
      expect(await lines("code_grep", { pattern: "x", path: "sub" }, { project_root })).toEqual(found.slice(1));
    }
  });

  test("TL31 what is ignored or hidden is searched when it is named itself", async () => {
    const { lines, root } = project(engine, {
      ".gitignore": "node_modules\n",
      "node_modules/m/index.ts": "x\n",
      ".cache/c.ts": "x\n",
    });
    execFileSync("git", ["init", "-q"], { cwd: root });
    expect(await lines("code_grep", { pattern: "x" })).toEqual(["no matches in 1 file"]);
    expect(await lines("code_grep", { pattern: "x", path: "node_modules/m" })).toEqual([
      "node_modules/m/index.ts:1: x",
    ]);
    expect(await lines("code_grep", { pattern: "x", path: "node_modules/m/index.ts" })).toEqual([
      "node_modules/m/index.ts:1: x",
    ]);
    expect(await lines("code_grep", { pattern: "x", path: ".cache" })).toEqual([".cache/c.ts:1: x"]);
    expect(await lines("code_grep", { pattern: "x", glob: ".cache/*.ts" })).toEqual([".cache/c.ts:1: x"]);
  });

  test("TL31 hidden files are skipped, but not .github and its like", async () => {
    const { lines } = project(engine, {
      ".env": "x\n",
      ".venv/v.py": "x\n",
      ".git/config": "x\n",
      ".github/workflows/ci.yml": "x\n",
      ".gitlab-ci.yml": "x\n",
    });
    expect(await lines("code_grep", { pattern: "x" })).toEqual([
      ".github/workflows/ci.yml:1: x",
      ".gitlab-ci.yml:1: x",
    ]);
    expect(await lines("code_grep", { pattern: "x", glob: "*.yml" })).toEqual([
      ".github/workflows/ci.yml:1: x",
      ".gitlab-ci.yml:1: x",
    ]);
    expect(await lines("code_grep", { pattern: "x", glob: ".git/*" })).toEqual(["no matches: no file fits .git/*"]);
  });

  test("B81 TL27 a pattern or path that looks like an option is none", async () => {
    const { lines, put, path } = project(engine, { "s.css": "a { display: -webkit-box; }\n" });
    const grep = async (pattern: string, more: object = {}) => await lines("code_grep", { pattern, ...more });
    const hit = ["s.css:1: a { display: -webkit-box; }"];
    expect(await grep("-webkit-box")).toEqual(hit);
    for (const pattern of ["--flag", "-e", "->", "-v", "--files", "--pre=cat"]) {
      expect(await grep(pattern)).toEqual(["no matches in 1 file"]);
    }
    expect(await grep("-v", { literal: true })).toEqual(["no matches in 1 file"]);
    expect(await grep("a", { glob: "--files" })).toEqual(["no matches: no file fits --files"]);
    expect(await grep("a", { path: "-o" })).toEqual(["not_found: -o does not exist. Look for it with bash: ls."]);
    put("-v/-x.txt", "-webkit-box\n");
    expect(await grep("webkit", { path: "-v" })).toEqual(["-v/-x.txt:1: -webkit-box"]);
    expect(await grep("webkit", { path: path("-v/-x.txt") })).toEqual(["-v/-x.txt:1: -webkit-box"]);
  });

  test("B16 TL27 a byte order mark does not hide the start of the first line", async () => {
    const { lines } = project(engine, { "a.py": "\ufeffimport os\r\nx$\r\n" });
    expect(await lines("code_grep", { pattern: "^import os$" })).toEqual(["a.py:1: import os"]);
  });

  test("B13 TL27 a named pipe, a binary file and a folder of the scope do not stop the search", async () => {
    const { lines, put, path, root } = project(engine, { "a.ts": "hit\n" });
    execFileSync("mkfifo", [path("p.ts")]);
    put("bin.dat", Buffer.from("hit\n\0\0hit\n"));
    symlinkSync(root, path("loop"));
    expect(await lines("code_grep", { pattern: "hit" })).toEqual(["a.ts:1: hit"]);
    expect(await lines("code_grep", { pattern: "hit", path: "p.ts" })).toEqual([
      "not_regular: p.ts is not a regular file (named pipe).",
    ]);
    expect(await lines("code_grep", { pattern: "hit", path: "bin.dat" })).toEqual([
      engine === "ripgrep" ? "no matches in 1 file under bin.dat" : "no matches in 0 files under bin.dat",
    ]);
  });

  test("B77 TL27 names come out plain, and the path shown works in read", async () => {
    const names = ["naïve 音.ts", 'a"b.ts', " lead.ts", "new -> x.ts"];
    const { lines, run } = project(engine, Object.fromEntries(names.map((name) => [name, "hit\n"])));
    const shown = await lines("code_grep", { pattern: "hit" });
    expect(shown.toSorted()).toEqual(names.map((name) => `${name}:1: hit`).toSorted());
    for (const line of shown) expect((await run("read", { path: line.split(":")[0] })).ok).toBe(true);
  });

  test("TL27 a name with a line end stays on its line", async () => {
    const { lines } = project(engine, { "a\nb.ts": "hit\n" });
    expect(await lines("code_grep", { pattern: "hit" })).toEqual(["a\\u000ab.ts:1: hit"]);
  });

  test("TL27 the search covers the project root from any folder, and a path starts at cwd", async () => {
    const { lines, path } = project(engine, { "a.ts": "x\n", "pkg/b.ts": "x\n" });
    expect(await lines("code_grep", { pattern: "x" }, { cwd: path("pkg") })).toEqual(["a.ts:1: x", "pkg/b.ts:1: x"]);
    expect(await lines("code_grep", { pattern: "x", path: "b.ts" }, { cwd: path("pkg") })).toEqual(["pkg/b.ts:1: x"]);
    expect(await lines("code_grep", { pattern: "x", path: "." }, { cwd: path("pkg") })).toEqual(["pkg/b.ts:1: x"]);
  });

  test("TL27 TL40 confine all keeps the search in the project; a folder outside is shown whole otherwise", async () => {
    const { lines } = project(engine);
    const away = "/usr/share";
    const options = { confine: "all" } as const;
    expect((await lines("code_grep", { pattern: "zz", path: away }, { options }))[0]).toMatch(/^path_escape: /);
    const other = project(engine, { "o.ts": "x\n" });
    expect(await lines("code_grep", { pattern: "x", path: other.root })).toEqual([`${other.path("o.ts")}:1: x`]);
  });

  test("TL27 fault 173 a pattern that is none says why, and no answer claims that nothing matched", async () => {
    const { lines } = project(engine, { "a.ts": "x\n" });
    const words =
      engine === "ripgrep" ? "error: unclosed group" : "Invalid regular expression: /(foo/: Unterminated group";
    const [first, ...rest] = (await lines("code_grep", { pattern: "(foo" })).join("\n").split("\n");
    expect([first, rest.at(-1)]).toEqual([
      "bad_pattern: The pattern is no regular expression that can be searched for. Mend it, or pass literal: true to search for it as it is.",
      words,
    ]);
    for (const pattern of ["a\nb", "a\\nb"]) {
      expect((await lines("code_grep", { pattern }))[0]).toMatch(/^bad_pattern: The pattern holds a line end/);
    }
    expect(await lines("code_grep", { pattern: "a\\\\nb" })).toEqual(["no matches in 1 file"]);
    expect((await lines("code_grep", { pattern: "" }))[0]).toMatch(/^bad_pattern: The pattern is empty/);
    expect((await lines("code_grep", { pattern: "a\0" }))[0]).toMatch(/^bad_pattern: /);
    expect((await lines("code_grep", { pattern: "a", glob: "*\n!x" }))[0]).toBe(
      "bad_glob: glob must be one line of text.",
    );
  });

  test("TL27 a catastrophic pattern ends", async () => {
    const { lines } = project(engine, { "a.txt": `${"a".repeat(40)}b\n` });
    expect((await lines("code_grep", { pattern: "(a+)+$" }))[0]).toMatch(
      engine === "ripgrep" ? /^no matches in 1 file$/ : /^bad_pattern: The pattern backtracks without end/,
    );
  });

  test("fault 168 TL27 TL28 TL29 a folder and a file that this user may not read are told, and no obstacle", async () => {
    const { lines, put, root, path } = project(engine, { "a.ts": "function x() {}\n", "locked/b.ts": "x\n" });
    chmodSync(root, 0o755);
    chmodSync(put("secret.ts", "x\n"), 0);
    chmodSync(path("locked"), 0);
    const asRoot = process.getuid?.() === 0;
    if (asRoot) process.seteuid?.(65534); // root may read everything: be nobody for a moment
    try {
      const told = async (name: string, args: object) =>
        (await lines(name, args))
          .filter((line) => !line.includes("slower"))
          .map((line) => line.replace(/, as .*\]/, "]"));
      expect(await told("code_grep", { pattern: "x" })).toEqual([
        "a.ts:1: function x() {}",
        "[2 paths could not be read]",
      ]);
      expect((await told("code_files", { query: "a.ts" })).at(-1)).toMatch(/^\[1 paths? could not be read\]$/);
      expect((await told("code_symbols", { query: "x" }))[0]).toBe("a.ts:1 function x");
      expect((await told("code_symbols", { query: "x" })).at(-1)).toMatch(/could not be read\]$/);
    } finally {
      if (asRoot) process.seteuid?.(0);
      chmodSync(path("locked"), 0o755);
    }
  });

  test("TL27 a missing path names what is near", async () => {
    const { lines } = project(engine, { "source/a.ts": "x\n" });
    expect(await lines("code_grep", { pattern: "x", path: "sources" })).toEqual([
      "not_found: sources does not exist. Did you mean source?",
    ]);
  });

  test("TL27 a cancel before the search is an error with its reason, and nothing is left behind", async () => {
    const { call, cancel } = project(engine, { "a.ts": "x\n" });
    cancel.request("ctrl-c");
    const { outcome } = await call("code_grep", { pattern: "x" }, {});
    expect(outcome).toEqual({
      ok: false,
      content: "",
      error: { kind: "cancelled", code: "cancelled", message: "ctrl-c" },
    });
  });
});

const begun = `echo '{"type":"begin","data":{"path":{"text":"./a.ts"}}}'`;
const match = `{"type":"match","data":{"path":{"text":"./a.ts"},"lines":{"text":"x\\\\n"},"line_number":1,"absolute_offset":0,"submatches":[{"start":0}]}}`;

describe("code_grep and its process", () => {
  test("TL27 a cancel ends ripgrep", async () => {
    const { call, program, cancel, path, text } = project("ripgrep");
    const ripgrep = program(`echo $$ > ${path("pid")}.tmp; mv ${path("pid")}.tmp ${path("pid")}; exec sleep 60`);
    const running = call("code_grep", { pattern: "x" }, { options: { ripgrep } });
    await until(() => existsSync(path("pid")));
    cancel.request("ctrl-c");
    expect((await running).outcome.error).toEqual({ kind: "cancelled", code: "cancelled", message: "ctrl-c" });
    expect(isRunning(Number(text("pid")))).toBe(false);
  });

  test("TL27 when the time is up the hits so far are told", async () => {
    const { lines, program } = project("ripgrep");
    const ripgrep = program(`${begun}; printf '${match}\\n'; exec sleep 60`);
    expect(await lines("code_grep", { pattern: "x" }, { options: { ripgrep, search_s: 0.3 } })).toEqual([
      "a.ts:1: x",
      "[the search was stopped here: there may be more matches]",
      "[time ran out: these are the hits so far; narrow the search with path or glob]",
    ]);
  });

  test("TL27 a time that is up without a hit is not told as no matches", async () => {
    const { lines, program } = project("ripgrep");
    const ripgrep = program("exec sleep 60");
    expect((await lines("code_grep", { pattern: "x" }, { options: { ripgrep, search_s: 0.1 } }))[0]).toBe(
      "no matches so far",
    );
  });

  test("TL27 fault 173 output without end is stopped, and ripgrep with it", async () => {
    const { call, program, path, text } = project("ripgrep");
    const ripgrep = program(`echo $$ > ${path("pid")}; ${begun}; exec yes "$(printf '${match}')"`);
    const { line } = await call("code_grep", { pattern: "x" }, { options: { ripgrep } });
    expect([line, isRunning(Number(text("pid")))]).toEqual(["50000 matches in 1 file", false]);
  });

  test("TL27 a ripgrep that crashes is an error, not an empty answer", async () => {
    const { lines, program } = project("ripgrep");
    const ripgrep = program("echo 'rg: out of wits' >&2; kill -SEGV $$");
    expect(await lines("code_grep", { pattern: "x" }, { options: { ripgrep } })).toEqual([
      "search_failed: ripgrep crashed. Nothing is known. out of wits",
    ]);
  });

  test("TL27 paths that could not be read are told beside the hits", async () => {
    const { lines, program } = project("ripgrep");
    const summary = `{"type":"summary","data":{"stats":{"searches":1}}}`;
    const ripgrep = program(
      `echo 'rg: ./x: Permission denied' >&2; echo 'rg: ./y: Permission denied' >&2; ${begun}; printf '${match}\\n'; echo '${summary}'; exit 2`,
    );
    expect(await lines("code_grep", { pattern: "x" }, { options: { ripgrep } })).toEqual([
      "a.ts:1: x",
      "[2 paths could not be read, as ./x: Permission denied]",
    ]);
  });

  test("TL27 a ripgrep that can't be started leaves the search to the built-in one", async () => {
    const { call } = project("ripgrep", { "a.ts": "x\n" });
    const options = { ripgrep: async () => "/nowhere/rg" };
    expect((await call("code_grep", { pattern: "x" }, { options })).outcome.content).toBe(
      "a.ts:1: x\n[ripgrep could not be used: this is a slower built-in search with JavaScript's regular expressions]",
    );
  });

  test("TL27 ripgrep sees the scrubbed environment only, and no settings of the user", async () => {
    const { call, program, path } = project("ripgrep");
    const ripgrep = program(`env > ${path("seen")}; echo "$@" >> ${path("seen")}; exit 1`);
    await call("code_grep", { pattern: "x" }, { options: { ripgrep, env: { PATH: process.env["PATH"], KEPT: "1" } } });
    const seen = readFileSync(path("seen"), "utf8").split("\n");
    expect(seen.filter((line) => /^(KEPT|HOME)=/.test(line))).toEqual(["KEPT=1"]);
    expect(seen.at(-2)).toMatch(/ --no-config .* -- \.\/$/);
  });

  test("TL27 nothing stays in the temp folder, and without one the built-in search is used", async () => {
    const { lines, call, path } = project("ripgrep", { "a.ts": "x\n" });
    onTestFinished(() => void vi.unstubAllEnvs());
    mkdirSync(path(".temp"));
    vi.stubEnv("TMPDIR", path(".temp"));
    expect([await lines("code_grep", { pattern: "x" }), readdirSync(path(".temp"))]).toEqual([["a.ts:1: x"], []]);
    vi.stubEnv("TMPDIR", path(".nowhere"));
    expect((await call("code_grep", { pattern: "x" }, {})).outcome.content).toBe(
      "a.ts:1: x\n[ripgrep could not be used: this is a slower built-in search with JavaScript's regular expressions]",
    );
  });
});

describe("laws of code_grep", () => {
  test("TL27 a cut line holds the hit, is never much longer than 300 characters and splits no pair", () => {
    for (let at = 0; at < 900; at += 7) {
      const text = `${"🌍".repeat(at)}HIT${"🌍".repeat(900 - at)}`;
      const cut = cutAround(text, at * 2);
      expect({ at, holds: cut.includes("HIT"), whole: cut.isWellFormed(), short: cut.length <= 302 }).toEqual({
        at,
        holds: true,
        whole: true,
        short: true,
      });
    }
  });

  test("TL27 braces unfold, nested ones too, and never without end", () => {
    expect(expandBraces("*.{ts,tsx}")).toEqual(["*.ts", "*.tsx"]);
    expect(expandBraces("{a,b{c,d}}.x")).toEqual(["a.x", "bc.x", "a.x", "bd.x"]);
    expect(expandBraces("{a}")).toEqual(["{a}"]);
    expect(expandBraces("{a,b}".repeat(40)).length).toBeLessThanOrEqual(200);
  });
});

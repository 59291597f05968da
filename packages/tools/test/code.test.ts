import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ENGINES, project } from "./code-scene.ts";

describe.each(ENGINES)("code_files with %s", (engine) => {
  test("TL28 code_files puts the very name first, then names that hold the query, then scattered letters", async () => {
    const { lines, call } = project(engine, {
      "src/deep/read.ts": "",
      "src/reader.ts": "",
      "src/thread.ts": "",
      "test/read.test.ts": "",
      "src/render/edit.ts": "",
      "docs/x.md": "",
    });
    expect(await lines("code_files", { query: "read.ts" })).toEqual([
      "src/deep/read.ts",
      "src/thread.ts",
      "src/reader.ts",
      "test/read.test.ts",
    ]);
    expect(await lines("code_files", { query: "read", max_results: 2 })).toEqual([
      "src/deep/read.ts",
      "test/read.test.ts",
      "[2 more files]",
    ]);
    expect((await call("code_files", { query: "read" }, {})).line).toBe("4 files");
    expect(await lines("code_files", { query: "zzz" })).toEqual(["no matches among 6 files"]);
  });

  test("TL28 case, accents, blanks and wildcards don't matter", async () => {
    const { lines, path } = project(engine, { "src/UserService.ts": "", "src/naïve 音.txt": "" });
    for (const query of [
      "userservice",
      "user service",
      "*UserService*",
      "src/**/UserService.ts",
      "./src/user",
      "usrsvc",
    ]) {
      expect(await lines("code_files", { query })).toEqual(["src/UserService.ts"]);
    }
    expect(await lines("code_files", { query: path("src/UserService.ts") })).toEqual(["src/UserService.ts"]);
    expect(await lines("code_files", { query: "naive 音" })).toEqual(["src/naïve 音.txt"]);
    expect((await lines("code_files", { query: "**" }))[0]).toMatch(/^bad_query: /);
  });

  test("B81 B77 TL28 a query that looks like an option is none, and names come out plain", async () => {
    const { lines } = project(engine, { "-x.txt": "", 'a"b.txt': "", " lead.txt": "" });
    expect(await lines("code_files", { query: "-x.txt" })).toEqual(["-x.txt"]);
    expect(await lines("code_files", { query: "--files" })).toEqual(["no matches among 3 files"]);
    expect(await lines("code_files", { query: "lead" })).toEqual([" lead.txt"]);
    expect(await lines("code_files", { query: 'a"b' })).toEqual(['a"b.txt']);
    expect(await lines("code_files", { query: "x", path: "-o" })).toEqual([
      "not_found: -o does not exist. Look for it with bash: ls.",
    ]);
  });

  test("TL28 TL31 ignored and hidden files are not found", async () => {
    const { lines } = project(engine, {
      ".gitignore": "dist/\n",
      "dist/app.ts": "",
      ".cache/app.ts": "",
      "src/app.ts": "",
    });
    expect(await lines("code_files", { query: "app.ts" })).toEqual(["src/app.ts"]);
    expect(await lines("code_files", { query: "app.ts", path: "src" })).toEqual(["src/app.ts"]);
  });
});

describe.each(ENGINES)("code_map with %s", (engine) => {
  test("TL26 code_map tells languages, entry points and the tree with file counts", async () => {
    const { lines, call } = project(engine, {
      "package.json": JSON.stringify({ main: "dist/a.js", bin: { tool: "b.js" }, scripts: { start: "node ." } }),
      Makefile: "",
      "README.md": "",
      "src/main.ts": "",
      "src/code/a.ts": "",
      "src/code/in/b.ts": "",
      "src/code/in/deep/c.ts": "",
      "java/src/com/x/Y.java": "",
    });
    const name = (await lines("code_map", {}))[0]?.split("/")[0];
    expect(await lines("code_map", {})).toEqual([
      `${name}/ · 8 files`,
      "languages: TypeScript 57%, JSON 14%, Java 14%, Markdown 14%",
      "entry points: package.json (main: dist/a.js, bin: tool, start: node .), Makefile, src/main.ts",
      "java/src/com/x/ (1)",
      "  Y.java",
      "src/ (4)",
      "  code/ (3)",
      "    in/ (2)",
      "    a.ts",
      "  main.ts",
      "Makefile",
      "README.md",
      "package.json",
    ]);
    expect(await lines("code_map", { path: "src", depth: 1 })).toEqual([
      "src/ · 4 files",
      "languages: TypeScript 100%",
      "entry points: main.ts",
      "code/ (3)",
      "main.ts",
    ]);
    expect((await call("code_map", {}, {})).line).toBe("8 files");
  });

  test("TL26 wide folders are summarised and the map stays within 6,000 characters", async () => {
    const { call, put } = project(engine);
    for (let i = 0; i < 300; i++) put(`data/item-${i}.json`, "");
    for (let i = 0; i < 120; i++) put(`mods/module-with-a-long-name-${i}/src/index.ts`, "");
    const { outcome } = await call("code_map", {}, {});
    expect(outcome.content.length).toBeLessThanOrEqual(6000);
    expect(outcome.content).toMatch(/^data\/ \(300\)$/m);
    expect(outcome.content).toMatch(/^ {2}… \d+ (more )?files$/m);
    expect(outcome.content).toMatch(/^ {2}… \d+ more folders$/m);
  });

  test("TL26 TL31 ignored files are not counted, a pipe is no file, and an empty folder says so", async () => {
    const { lines, path, root } = project(engine, { ".gitignore": "out\n", "out/a.ts": "", "a.ts": "", ".git/x": "" });
    execFileSync("mkfifo", [path("p")]);
    const name = root.split("/").at(-1);
    expect(await lines("code_map", {})).toEqual([
      `${name}/ · 2 files`,
      "languages: TypeScript 100%",
      ".gitignore",
      "a.ts",
    ]);
    const empty = project(engine);
    expect(await empty.lines("code_map", { path: empty.root })).toEqual([
      `${empty.root.split("/").at(-1)}/ · 0 files that are not ignored`,
    ]);
  });

  test("TL26 a broken package.json is no obstacle, and a file is no folder", async () => {
    const { lines } = project(engine, { "package.json": "{", "a.ts": "" });
    expect((await lines("code_map", {})).slice(1)).toEqual([
      "languages: JSON 50%, TypeScript 50%",
      "a.ts",
      "package.json",
    ]);
    expect(await lines("code_map", { path: "a.ts" })).toEqual([
      "not_directory: a.ts is a file: code_map draws folders. Use read.",
    ]);
  });
});

describe("the code tools", () => {
  test("TL26 TL27 TL28 TL29 TL30 cost the model at most 2,400 bytes and have no side effects", () => {
    const { tools } = project("ripgrep");
    const specs = tools.map(({ name, description, schema }) => {
      const { $schema, ...parameters } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
      return { name, description, parameters };
    });
    expect(tools.map(({ name, side_effects }) => [name, side_effects])).toEqual([
      ["code_map", "none"],
      ["code_grep", "none"],
      ["code_files", "none"],
      ["code_symbols", "none"],
      ["code_outline", "none"],
    ]);
    expect(Buffer.byteLength(JSON.stringify(specs))).toBeLessThanOrEqual(2400);
  });

  test("TL27 fields that are not listed are refused by name", () => {
    const { tools } = project("ripgrep");
    const grep = tools.find(({ name }) => name === "code_grep");
    const issues = grep?.schema.safeParse({ pattern: "x", file: "y" }).error?.issues;
    expect(issues?.map(({ message }) => message)).toEqual(['Unrecognized key: "file"']);
  });
});

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

const script = join(import.meta.dirname, "..", "check-layers.mjs");
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

type Tree = Readonly<Record<string, string | object>>;

/** Checks a workspace that holds these files; what is no text is written as JSON. */
function check(tree: Tree): Promise<{ code: number; breaches: string[]; note: string }> {
  const root = mkdtempSync(join(tmpdir(), "layers-"));
  roots.push(root);
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, root], (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : Number(error.code),
        breaches: stderr.split("\n").filter((line) => line !== ""),
        note: stdout,
      }),
    );
  });
}

const manifest = (name: string, dependencies: string[] = [], devDependencies: string[] = []) => {
  const versions = (names: string[]) => Object.fromEntries(names.map((each) => [each, "workspace:*"]));
  return { name, dependencies: versions(dependencies), devDependencies: versions(devDependencies) };
};

/** A small workspace that keeps the law. */
const lawful: Tree = {
  "packages/contract/package.json": manifest("@smith/contract", ["zod"]),
  "packages/contract/src/word.ts": "export type Word = string;\nexport const word = 1;\n",
  "packages/testkit/package.json": manifest("@smith/testkit", ["@smith/contract"]),
  "packages/testkit/src/suites/index.ts": "export {};\n",
  "packages/engine/package.json": manifest("@smith/engine", ["@smith/contract"], ["@smith/testkit"]),
  "packages/engine/src/index.ts":
    'import { createHash } from "node:crypto";\nimport type { Word } from "@smith/contract/word";\n',
  "packages/llm/package.json": manifest("@smith/llm", ["@smith/contract"], ["@smith/testkit"]),
  "packages/llm/src/index.ts": 'import { type Word, word } from "@smith/contract/word";\n// import "@smith/store"\n',
  "packages/store/package.json": manifest("@smith/store", ["@smith/contract"]),
  "packages/store/src/index.ts": 'import { word } from "@smith/contract/word";\n',
  "packages/runtime/package.json": manifest("@smith/runtime", ["@smith/contract", "@smith/engine", "@smith/llm"]),
  "packages/runtime/src/index.ts": 'export * from "@smith/engine";\nconst llm = () => import("@smith/llm");\n',
  "apps/bench/package.json": manifest("@smith/bench", ["@smith/testkit", "@smith/runtime"]),
  "apps/bench/src/main.ts": 'import { startScriptedModel } from "@smith/testkit";\n',
};

test("a workspace that keeps the law passes without a word", async () => {
  expect(await check(lawful)).toEqual({ code: 0, breaches: [], note: "" });
});

const portMend = "declare a port in @smith/contract and let runtime join them";

/** What is planted, where, with which text, and what is said of it. All of it lies in one tree. */
const planted: readonly (readonly [what: string, path: string, content: string | object, said: string])[] = [
  [
    "a sibling",
    "packages/llm/src/sibling.ts",
    '\nimport { open } from "@smith/store";\n',
    `:2: @smith/llm (layer 1) may not import @smith/store (layer 1): ${portMend}`,
  ],
  [
    "a sibling's type, over many lines",
    "packages/engine/src/type.ts",
    'import type {\n  Store,\n} from "@smith/store";\n',
    `:3: @smith/engine (layer 1) may not import @smith/store (layer 1): ${portMend}`,
  ],
  [
    "a sibling, when it is needed",
    "packages/engine/src/lazy.ts",
    'const later = await import("@smith/llm/deep");\n',
    `:1: @smith/engine (layer 1) may not import @smith/llm (layer 1): ${portMend}`,
  ],
  [
    "a sibling, for its effects",
    "packages/engine/src/effect.ts",
    'import "@smith/llm";\n',
    `:1: @smith/engine (layer 1) may not import @smith/llm (layer 1): ${portMend}`,
  ],
  [
    "a sibling, handed on",
    "packages/engine/src/again.ts",
    'export { a } from "@smith/llm";\n',
    `:1: @smith/engine (layer 1) may not import @smith/llm (layer 1): ${portMend}`,
  ],
  [
    "a sibling in devDependencies",
    "packages/llm/package.json",
    manifest("@smith/llm", [], ["@smith/store", "@smith/testkit"]),
    `: @smith/llm (layer 1) may not import @smith/store (layer 1): ${portMend}`,
  ],
  [
    "a higher layer",
    "packages/engine/src/up.ts",
    'import { run } from "@smith/runtime";\n',
    ":1: @smith/engine (layer 1) may not import @smith/runtime (layer 2): take what you need as an argument, typed by a port in @smith/contract",
  ],
  [
    "a door",
    "packages/runtime/src/door.ts",
    'import { main } from "@smith/bench";\n',
    ":1: @smith/runtime (layer 2) may not import @smith/bench (layer 3): an app is a door, nobody imports it; move what is shared into a package below",
  ],
  [
    "anything from the contract",
    "packages/contract/src/up.ts",
    'import { open } from "@smith/store";\n',
    ":1: @smith/contract (layer 0) may not import @smith/store (layer 1): move the shape that both need into @smith/contract",
  ],
  [
    "the testkit outside tests",
    "packages/engine/src/strict.ts",
    'import { strict } from "@smith/testkit";\n',
    ":1: @smith/engine (layer 1) may not import @smith/testkit (layer ½): it is for tests; keep it in devDependencies",
  ],
  [
    "more than the contract from the testkit",
    "packages/testkit/package.json",
    manifest("@smith/testkit", [], ["@smith/runtime"]),
    ": @smith/testkit (layer ½) may not import @smith/runtime (layer 2): what needs more than the contract lives in packages/runtime/test",
  ],
  [
    "a path out of the package",
    "packages/engine/src/path.ts",
    'import { open } from "../../store/src/index.ts";\n',
    ":1: ../../store/src/index.ts leaves packages/engine: import the package by its name",
  ],
  [
    "Node in the contract",
    "packages/contract/src/node.ts",
    'import { join } from "path";\n',
    ":1: @smith/contract may not import node:path: the language does no I/O; take the value as an argument",
  ],
  [
    "the machine in the engine",
    "packages/engine/src/file.ts",
    'import { readFile } from "node:fs/promises";\n',
    ":1: @smith/engine may not import node:fs/promises: the thought touches no machine; ask through a port (Tool, Store, ChatModel)",
  ],
  [
    "a library in the contract",
    "packages/contract/package.json",
    manifest("@smith/contract", ["zod", "lodash"]),
    ": @smith/contract may depend on zod only, not on lodash: it holds schemas, types and ports, no behaviour",
  ],
  [
    "a file name that says nothing",
    "packages/llm/src/utils.ts",
    "export {};\n",
    ': "utils" says nothing: name it after what it holds',
  ],
  [
    "a folder name that says nothing",
    "packages/llm/src/helpers/http.ts",
    "export {};\n",
    ': "helpers" says nothing: name it after what it holds',
  ],
  [
    "a second index",
    "packages/llm/src/wire/index.ts",
    "export {};\n",
    ": one index.ts per package, at src/index.ts: import the file itself",
  ],
  [
    "a package without a layer",
    "packages/extra/package.json",
    manifest("@smith/extra"),
    "packages/extra: @smith/extra has no layer: give it one in scripts/check-layers.mjs and in the map of docs/ARCHITECTURE.md",
  ],
];

describe("the law refuses", () => {
  let breaches: string[] = [];
  beforeAll(async () => {
    const tree = Object.fromEntries(planted.map(([, path, content]) => [path, content]));
    breaches = (await check({ ...lawful, ...tree })).breaches;
  });

  test.for(planted)("%s", ([, path, , said]) => {
    expect(breaches).toContain(said.startsWith(":") ? path + said : said);
  });

  test("nothing else", () => expect(breaches).toHaveLength(planted.length));
});

test("exports of the contract that fewer than two packages import are a note, not a breach", async () => {
  const more = {
    "packages/contract/src/word.ts":
      "export type Word = string;\nexport const word = 1, lone = 2;\nexport function alone() {}\n",
  };
  expect(await check({ ...lawful, ...more })).toEqual({
    code: 0,
    breaches: [],
    note: "note: exports of @smith/contract that fewer than two packages import:\n  word.ts: alone\n",
  });
});

test("R6 R18 the engine meets the world by its ports alone: a provider, the store, the terminal, files and the network are refused, and it has none", async () => {
  const imports = [
    "@smith/llm",
    "@smith/store",
    "@smith/terminal",
    "@smith/tools",
    "node:fs",
    "node:http",
    "node:child_process",
  ];
  const planted = Object.fromEntries(
    imports.map((name, at) => [`packages/engine/src/w${at}.ts`, `import "${name}";\n`] as const),
  );
  const others = ["terminal", "tools"].map((name) => [`packages/${name}/package.json`, manifest(`@smith/${name}`)]);
  const { code, breaches } = await check({ ...lawful, ...Object.fromEntries(others), ...planted });
  expect([
    code,
    breaches.map((line) => /^packages\/engine\/src\/w(\d)\.ts:1: @smith\/engine /.exec(line)?.[1]),
  ]).toEqual([1, imports.map((_, at) => `${at}`)]);
  const own = await new Promise((resolve) => execFile(process.execPath, [script], (error) => resolve(error)));
  expect(own).toBeNull();
});

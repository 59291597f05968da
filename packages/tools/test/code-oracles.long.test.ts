import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { describe, expect, test } from "vitest";
import { listFiles } from "../src/code/list.ts";
import { searchIn } from "../src/code/ripgrep.ts";
import { rulesFor } from "../src/code/rules.ts";
import { scopeOf } from "../src/code/scope.ts";
import { createSymbolReader } from "../src/code/syntax/reader.ts";
import { ENGINES, project } from "./code-scene.ts";

/** Numbers below `n`, the same for the same seed. */
function dice(seed: number): (n: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (n) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % n;
  };
}

const NAMES = [
  "a",
  "b",
  "src",
  "build",
  "out",
  "x.log",
  "y.ts",
  "z.min.js",
  "naïve 音.txt",
  "lead ",
  "[c]",
  "k-1",
  "UP",
];
const RULES = [
  ...[
    "*.log",
    "build/",
    "/out",
    "!keep.log",
    "a/**/b",
    "**/x.log",
    "src/*.ts",
    "!y.ts",
    "UP",
    "[[]c]",
    "k-?",
    "*.min.*",
  ],
  ...[
    "# comment",
    "",
    "b/",
    "!b/",
    "/a/*",
    "!/a/y.ts",
    "lead\\ ",
    "out/**",
    "**/build/**",
    "src/**",
    "!src/y.ts",
    "naïve*",
  ],
];
const LINES = ["alpha", "beta gamma", "Alpha-1", "x", "", "  alpha beta", "naïve", "a.b(c)", "\ttab alpha"];

/** A repository of random folders, files and ignore files. */
function tree(seed: number): Readonly<Record<string, string>> {
  const roll = dice(seed);
  const pick = (from: readonly string[]) => from[roll(from.length)] ?? "";
  const files: Record<string, string> = {};
  const fill = (folder: string, depth: number): void => {
    const here = new Set<string>();
    for (let n = 3 + roll(5); n > 0; n--) {
      const name = pick(NAMES);
      if (here.has(name)) continue;
      here.add(name);
      if (depth > 0 && !name.includes(".") && roll(3) > 0) fill(`${folder}${name}/`, depth - 1);
      else files[folder + name] = Array.from({ length: roll(6) }, () => `${pick(LINES)}\n`).join("");
    }
    if (depth === 3 || roll(3) === 0) {
      files[`${folder}.gitignore`] = `${Array.from({ length: 1 + roll(4) }, () => pick(RULES)).join("\n")}\n`;
    }
  };
  fill("", 3);
  return files;
}

const TREES = 60;

describe.each(ENGINES)("against git, with %s", (engine) => {
  test(`TL31 the files listed of ${TREES} random trees are those that git would add`, async () => {
    let listed = 0;
    let left = 0;
    for (let seed = 1; seed <= TREES; seed++) {
      const files = tree(seed);
      const { root, context } = project(engine, files);
      const git = (...args: string[]) =>
        execFileSync("git", args, {
          cwd: root,
          encoding: "utf8",
          env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
        });
      git("init", "-q");
      const options = {
        confine: "off",
        env: process.env,
        ...(engine === "walk" ? { ripgrep: async () => null } : {}),
      } as const;
      const scope = await scopeOf(".", context(), "off");
      const { paths } = await listFiles(searchIn(scope, rulesFor(undefined, scope.shown), options, context().signal));
      const expected = git("ls-files", "-coz", "--exclude-standard")
        .split("\0")
        .filter((path) => path !== "");
      expect([seed, paths.toSorted()]).toEqual([seed, expected.toSorted()]);
      const ignored = spawnSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
        cwd: root,
        input: paths.join("\0"),
      });
      expect([seed, ignored.stdout.toString()]).toEqual([seed, ""]);
      listed += paths.length;
      left += Object.keys(files).length - paths.length;
    }
    expect(Math.min(listed, left)).toBeGreaterThan(TREES * 3); // the trees are no easy ones
  });

  test(`TL27 the hits in ${TREES / 2} random trees are those of rg`, async () => {
    for (let seed = 1; seed <= TREES / 2; seed++) {
      const { lines, root } = project(engine, tree(seed));
      const plain = (...args: string[]) =>
        spawnSync(rgPath, ["--no-config", "-n", "--no-heading", "--no-require-git", ...args, "./"], { cwd: root })
          .stdout.toString()
          .split("\n")
          .flatMap((line) => /^\.\/(.*?):(\d+):(.*)$/.exec(line) ?? [])
          .filter((_, at) => at % 4 !== 0);
      for (const [args, flags] of [
        [{ pattern: "alpha" }, ["-e", "alpha"]],
        [{ pattern: "ALPHA", ignore_case: true }, ["-i", "-e", "ALPHA"]],
        [{ pattern: "a.b(c)", literal: true }, ["-F", "-e", "a.b(c)"]],
        [{ pattern: "^\\s*\\w+ (beta|gamma)$" }, ["-e", "^\\s*\\w+ (beta|gamma)$"]],
        [{ pattern: "-1$" }, ["-e", "-1$"]],
      ] as const) {
        const told = (await lines("code_grep", args)).flatMap((line) =>
          (/^(.*?):(\d+): (.*)$/.exec(line) ?? []).slice(1),
        );
        const triples = (flat: readonly string[]) =>
          Array.from({ length: flat.length / 3 }, (_, at) => flat.slice(at * 3, at * 3 + 3).join("\0")).toSorted();
        expect([seed, args, triples(told)]).toEqual([seed, args, triples(plain(...flags))]);
      }
    }
  });
});

const ROOT = resolve(import.meta.dirname, "../../..");
const hasCtags = spawnSync("ctags", ["--version"]).stdout?.toString().startsWith("Universal Ctags") === true;

interface Corpus {
  readonly language: string;
  /** Kinds of ctags that are symbols here, too. */
  readonly kinds: readonly string[];
  /** Prints the files, a line each. */
  readonly find: string;
  /** Tags that are none, and why. */
  readonly explained: readonly (readonly [why: string, is: (name: string, line: string) => boolean])[];
}

const CORPORA: readonly Corpus[] = [
  {
    language: "TypeScript",
    kinds: ["class", "interface", "enum", "function", "method", "generator", "namespace"],
    find: "git ls-files -- '*.ts' | head -800",
    explained: [["ctags takes a word of a type or import for a definition", (name, line) => !defines(name, line)]],
  },
  {
    language: "JavaScript",
    kinds: ["function", "generator", "method", "getter", "setter"],
    find: "find node_modules/.pnpm -name '*.js' -path '*/lib/*' -size -60k | LC_ALL=C sort | head -500",
    explained: [
      ["ctags makes up a name for what has none", (name) => name.startsWith("AnonymousFunction")],
      [
        "what a module exports is told by the function's own name, if it has one",
        (name, line) => /^(exports|module)$/.test(name) && /^module(\.exports|\['exports'\]) = /.test(line),
      ],
      [
        "a prototype's member is used, or set to no function",
        (_, line) => /prototype\.\w+/.test(line) && !/=\s*(async )?(function|\()/.test(line),
      ],
    ],
  },
  {
    language: "C++",
    kinds: ["class", "struct", "enum", "function", "macro", "namespace", "typedef", "union"],
    find: "find node_modules/.pnpm/better-sqlite3*/ -name '*.[ch]pp'",
    explained: [["ctags makes up a name for what has none", (name) => /^__anon|^operator /.test(name)]],
  },
  {
    language: "Python",
    kinds: ["class", "function", "member"],
    find: `find "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["stdlib"])')" -maxdepth 2 -name '*.py' -size -200k | LC_ALL=C sort | head -300`,
    explained: [["a lambda in a function is a value", (_, line) => line.includes("lambda")]],
  },
];

const defines = (name: string, line: string): boolean => {
  const plain = name.replace(/\W/g, "\\$&");
  return new RegExp(`(?<![\\w$])${plain}[?!]?\\s*[(<=:{]|(class|interface|enum|function\\*?|namespace) ${plain}`).test(
    line,
  );
};

interface Tag {
  readonly name: string;
  readonly kind: string;
  /** `path:line name`, by which two of them are the same. */
  readonly key: string;
  readonly text: string;
}

function tagsOf({ language, kinds }: Corpus, files: readonly string[]): readonly Tag[] {
  const args = ["-f", "-", "--fields=K", "--excmd=number", `--languages=${language}`, "-L", "-"];
  const printed = spawnSync("ctags", args, {
    cwd: ROOT,
    input: files.join("\n"),
    maxBuffer: 1 << 28,
  }).stdout.toString();
  const texts = new Map(files.map((file) => [file, readFileSync(resolve(ROOT, file), "utf8").split("\n")]));
  return printed.split("\n").flatMap((row) => {
    const [name = "", file = "", number = "", kind = ""] = row.split("\t");
    if (name.startsWith("!") || !kinds.includes(kind)) return [];
    const at = Number.parseInt(number, 10);
    return [{ name, kind, key: `${file}:${at} ${name}`, text: texts.get(file)?.[at - 1] ?? "" }];
  });
}

/** As ctags writes it: without what it stands in, and without the sign of a private member. */
const plainOf = (name: string): string =>
  name.startsWith("[") ? name : (name.split(/::|\./).at(-1) ?? name).replace(/^#/, "");

async function keysOf(files: readonly string[]): Promise<ReadonlySet<string>> {
  const reader = createSymbolReader();
  const keys = new Set<string>();
  for (const file of files) {
    for (const { line, name } of (await reader.read(resolve(ROOT, file))).symbols?.symbols ?? []) {
      keys.add(`${file}:${line} ${plainOf(name)}`);
    }
  }
  return keys;
}

describe.skipIf(!hasCtags)("against universal-ctags", () => {
  test.each(CORPORA)("TL29 TL30 of $language 99 of 100 definitions that ctags knows are found", async (corpus) => {
    const found = execFileSync("bash", ["-c", corpus.find], { cwd: ROOT, encoding: "utf8" });
    const files = found.split("\n").filter((each) => each !== "");
    const ours = await keysOf(files);
    const tags = tagsOf(corpus, files);
    const absent = tags.filter(({ key }) => !ours.has(key));
    const whyOf = ({ name, text }: Tag) => corpus.explained.find(([, is]) => is(name, text))?.[0];
    const unexplained = absent.filter((tag) => whyOf(tag) === undefined);
    const reasons = corpus.explained.map(([why]) => `${absent.filter((tag) => whyOf(tag) === why).length}: ${why}`);
    const head = `${corpus.language}: ${files.length} files, ${tags.length} tags, ${unexplained.length} not found`;
    const some = unexplained.slice(0, 10).map(({ key, kind }) => `  ${kind} ${key}`);
    process.stdout.write(`${[[head, ...reasons].join("; "), ...some].join("\n")}\n`);
    expect(unexplained.length <= tags.length / 100).toBe(true);
  });
});

test("TL30 a file of nothing but open brackets is given up in time, and the next one is read as ever", async () => {
  const { lines } = project("ripgrep", { "deep.ts": "(".repeat(200_000), "a.ts": "function first() {}\n" });
  expect(await lines("code_outline", { path: "deep.ts" })).toEqual([
    "outline_slow: deep.ts could not be parsed in time. Use code_grep with path.",
  ]);
  expect(await lines("code_outline", { path: "a.ts" })).toEqual(["1 function first"]);
});

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("../dist/bench.js", import.meta.url));
const SMITH = fileURLToPath(new URL("../../cli/dist/smith.js", import.meta.url));

const HEAD = [
  "| benchmark | measured | smith | beside | ratio | peak RSS MB | CPU ms | counted |",
  "|---|---|---:|---:|---:|---:|---:|---:|",
];

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bench = (...args: string[]): Promise<Told> =>
  new Promise((resolve, reject) => {
    const told = { stdout: "", stderr: "" };
    const child = spawn(process.execPath, [BENCH, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        told[name] += text;
      });
    }
    child.on("error", reject).on("close", (code) => resolve({ code, ...told }));
  });

/** The table with `N` for each number, or a dash where the system does not tell. */
const form = (stdout: string): string[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/(?<= )(?<! of )(\d+(\.\d+)?)(?= [/|])/g, "N"));

const usage = process.platform === "linux" ? "N / N" : "- / -";

describe.skipIf(!existsSync(BENCH))("the built bench (skipped without apps/bench/dist/bench.js: npm run build)", () => {
  test.skipIf(!existsSync(SMITH))(
    "one table with a row a benchmark, and the raw runs on request (skipped without apps/cli/dist/smith.js: npm run build)",
    async () => {
      const json = join(folder, "raw.json");
      const { code, stdout, stderr } = await bench("--runs", "1", "--only", "version,one-shot", "--json", json);
      expect({ code, stderr, lines: form(stdout) }).toEqual({
        code: 0,
        stderr: "bench: version, 1 run each …\nbench: one-shot, 1 run each …\n",
        lines: [
          ...HEAD,
          `| version | cold start: \`--version\` beside \`node -e 0\`, ms | N | node N | N | ${usage} | N / N | 1 of 1 |`,
          `| one-shot | one prompt, one short answer, ms | N | minimal N | N | ${usage} | N / N | 1 of 1 |`,
        ],
      });
      const raw = JSON.parse(await readFile(json, "utf8"));
      const runs = raw.benchmarks.map((each: Raw) => [
        each.name,
        each.beside,
        each.pairs.length,
        Object.keys(each.pairs[0] ?? {}),
      ]);
      expect(runs).toEqual([
        ["version", "node", 1, ["smith", "beside"]],
        ["one-shot", "minimal", 1, ["smith", "beside"]],
      ]);
    },
  );

  test("a program that fails, or never asks the model, is told and does not count", async () => {
    const smith = join(folder, "smith.mjs");
    await writeFile(
      smith,
      'if (process.argv.includes("--version")) { console.error("out of order"); process.exitCode = 3; }\n',
    );
    const { code, stdout, stderr } = await bench("--runs", "1", "--only", "version,one-shot", "--smith", smith);
    expect({ code, stderr, lines: form(stdout) }).toEqual({
      code: 1,
      stderr:
        "bench: version, 1 run each …\nbench: one-shot, 1 run each …\n" +
        "bench: version, run 1 of smith does not count: exit code 3: out of order\n" +
        "bench: one-shot, run 1 of smith does not count: 1 scripted answer(s) left over\n",
      lines: [
        ...HEAD,
        "| version | cold start: `--version` beside `node -e 0`, ms | - | node - | - | - / - | - / - | 0 of 1 |",
        "| one-shot | one prompt, one short answer, ms | - | minimal - | - | - / - | - / - | 0 of 1 |",
      ],
    });
  });

  test.each([
    [["--runs", "0"], 'bench: --runs "0": expected a whole number above 0.'],
    [
      ["--only", "versoin"],
      'bench: --only "versoin": expected some of version, one-shot, round, round-10k, stream, events, read-1mb, edit-1mb, bash, grep-50k, files-50k, files-50k-again, symbols-2k, symbols-2k-again, rounds-25, rounds-50, rounds-100, rounds-200, stream-1mb, stream-2mb, stream-4mb, stream-8mb.',
    ],
    [
      ["--smith", "/nowhere/smith.js"],
      "bench: there is no /nowhere/smith.js. Build it with npm run build, or name one by --smith.",
    ],
  ])("wrong use %j is told in one line, with exit code 2", async (args, line) => {
    const { code, stdout, stderr } = await bench(...args);
    expect({ code, stdout, line: stderr.split("\n")[0] }).toEqual({ code: 2, stdout: "", line });
  });
});

interface Raw {
  readonly name: string;
  readonly beside: string;
  readonly pairs: readonly object[];
}

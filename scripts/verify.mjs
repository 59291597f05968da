// What `npm test` runs: every check that a change must pass. One line a step; the first failure ends it.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import process from "node:process";
import { provenRows } from "./features.mjs";
import { dropReport, readReport, reportFile, root, tally } from "./tally.mjs";

const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}` };
/** Biome colours its lines also for a file. */
const colors = `--colors=${process.stdout.isTTY ? "force" : "off"}`;
const vitest = ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile("unit")}`];

/** The steps of one stage run side by side; a step's commands one after the other. */
const stages = [
  [
    { name: "lint", commands: [["biome", "ci", "--error-on-warnings", colors, "."]] },
    { name: "layers", commands: [["node", "scripts/check-layers.mjs"]] },
    {
      name: "types",
      commands: [
        ["tsc", "-b"],
        ["tsc", "-p", "tsconfig.test.json"],
      ],
    },
    { name: "build", commands: [["node", "scripts/bootstrap.mjs", "build"]] },
  ],
  [{ name: "tests", commands: [vitest] }],
];

async function runStage(steps) {
  const stop = new AbortController();
  const results = await Promise.all(steps.map((step) => runStep(step, stop)));
  return results.find((code) => code !== 0) ?? 0;
}

/** Returns the exit code; 0 also for a step that was stopped because another had failed. */
async function runStep({ name, commands }, stop) {
  const startedAt = Date.now();
  let output = "";
  for (const [program, ...args] of commands) {
    const { code, text } = await run(program, args, stop.signal);
    if (stop.signal.aborted) return 0;
    output += text;
    if (code === 0) continue;
    stop.abort();
    console.log(`FAIL  ${name}  ${seconds(startedAt)}\n\n${output.trimEnd()}\n`);
    return code;
  }
  console.log(`ok    ${name.padEnd(8)}${seconds(startedAt)}`);
  return 0;
}

const seconds = (startedAt) => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;

function run(program, args, signal) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], signal });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => resolve({ code: 1, text: `${program}: ${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 1, text: Buffer.concat(chunks).toString() }));
  });
}

async function main() {
  dropReport("unit");
  let code = 0;
  for (const stage of stages) {
    code = await runStage(stage);
    if (code !== 0) break;
  }
  const tests = readReport("unit");
  for (const { file, title, status } of tests) {
    if (status !== "passed" && status !== "failed") console.log(`skip  ${file}: ${title}`);
  }
  if (code === 0) console.log(`      ${provenRows(tests).size} rows proven (npm run features lists them)`);
  console.log(tally(tests, code));
  process.exitCode = code;
}

await main();

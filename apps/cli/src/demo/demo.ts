import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DispatchResult } from "@smith/contract/dispatch";
import { createRuntime, type Runtime } from "@smith/runtime";
import { accountRows, createTheme, safeLine } from "@smith/terminal";
import { createProgress } from "../progress.ts";
import { killAndRecover } from "./kill.ts";
import { PROJECT } from "./project.ts";
import { ORDER, QUESTION } from "./script.ts";
import { startScriptedModel } from "./scripted-model.ts";

type Say = (line: string) => void;

const LABEL = [
  "smith demo: a replay. What the model says is a script; the tools, the jobs, the checks and the cancel are the real",
  "ones, in a small repository below the temp folder. No network, no key, nothing of yours is read.",
];

/** Plays the scripted run on the real runtime, in well under 30 s. Returns the exit code. */
export async function demo(colour: boolean): Promise<number> {
  const say: Say = (line) => void process.stdout.write(`${line}\n`);
  for (const line of LABEL) say(line);
  const home = realpathSync(mkdtempSync(join(tmpdir(), "smith-demo-")));
  const cwd = join(home, "courier");
  const remove = () => rmSync(home, { recursive: true, force: true });
  process.once("exit", remove);
  process.once("SIGINT", () => process.exit(130)); // a Ctrl-C of the user's: nothing is left behind then, either
  process.once("SIGTERM", () => process.exit(143));
  await layOut(cwd);
  const model = await startScriptedModel();
  const runtime = createRuntime({
    ...{ cwd: () => cwd, database: null, env: { PATH: process.env["PATH"] } },
    config: { default_model: "replay", llm_config: { api_url: model.url, retry_max_retries: 0 } },
  });
  runtime.subscribe(createProgress({ colour, level: "warn", write: say }));
  try {
    await askFour(runtime, say);
    await interrupt(runtime, { say, cwd, colour });
    await killAndRecover({ cwd, home, model: model.url, say });
    say("\nNothing is left running, and the repository of the replay is removed again.");
    return 0;
  } finally {
    await runtime.close();
    model.close();
    remove();
  }
}

/** Four explorers side by side, and what code found of what they cite. */
async function askFour(runtime: Runtime, say: Say): Promise<void> {
  say(`\n1. Four explorers side by side. One of them lies.\n\n> ${QUESTION}\n`);
  const result = await runtime.run(QUESTION);
  say("\nWhat each reported, and whether what it cites was shown to it and still stands in the file:\n");
  for (const dispatched of result.dispatches) for (const line of verdictLines(dispatched)) say(line);
  say(`\n${safeLine(result.text)}`);
}

function verdictLines({ job_id, summary, evidence, evidence_check }: DispatchResult): readonly string[] {
  const checks = evidence_check.map(({ index, verdict, why }) => {
    const { path = "", lines, quote } = evidence[index] ?? {};
    const cited = [path, lines === undefined ? "" : `:${lines}`, quote === undefined ? "" : ` "${quote}"`].join("");
    return `        ${verdict.padEnd(12)}${safeLine(cited)}${why === "" ? "" : `: ${why}`}`;
  });
  return [`  ${job_id.slice(0, 4)}  ${safeLine(summary)}`, ...checks];
}

/** A worker is stopped in the middle of its work, as Ctrl-C does it. */
async function interrupt(
  runtime: Runtime,
  { say, cwd, colour }: { readonly say: Say; readonly cwd: string; readonly colour: boolean },
): Promise<void> {
  say(
    `\n2. A worker edits a file and runs the tests. Ctrl-C comes in the middle (here the replay presses it).\n\n> ${ORDER}\n`,
  );
  const busy = new Promise<void>((resolve) => {
    runtime.subscribe((event) => {
      if (event.type === "tool_execution_started" && event.tool === "bash" && event.source_role === "worker") resolve();
    });
  });
  const running = runtime.run(ORDER);
  await Promise.race([busy, running]);
  await new Promise((done) => setTimeout(done, 700)); // long enough to be seen at work
  const account = await runtime.cancel("ctrl-c");
  await running;
  say("\nWhat was stopped, and what had been changed by then:\n");
  const options = { columns: Number.MAX_SAFE_INTEGER, theme: createTheme({ colour, kind: "dark" }) };
  for (const row of account === null ? [] : accountRows(account, cwd, options)) say(row);
}

/** Writes the files, as one commit where there is git: without it the replay only knows less of what commands change. */
async function layOut(cwd: string): Promise<void> {
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "courier"],
  ])
    await git(cwd, args);
}

const IDENTITY = ["-c", "user.name=demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"];

const git = (cwd: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    execFile("git", [...IDENTITY, "-c", "core.hooksPath=/dev/null", ...args], { cwd }, () => resolve());
  });

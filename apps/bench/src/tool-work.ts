import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { TOOL_WORKS, type ToolWork } from "./benchmark.ts";

const CALLS = 60;
/** Before those that count: the compiler of the engine has work, too. */
const WARM_CALLS = 20;
const LINES = 16_384;
const LINE = "y".repeat(63);
const EDITED_LINE = 8_000;
const PAGE = { offset: 8_000, limit: 2_000 };

/**
 * Does one piece of work many times, by Smith's tool or by the bare calls, and prints the milliseconds of each as JSON.
 * Arguments: `smith` or `bare`, and the work.
 */
export async function runToolWork([who, what]: readonly string[]): Promise<void> {
  const work = TOOL_WORKS.find((each) => each === what);
  if (work === undefined) throw new Error(`tool work ${what}: expected one of ${TOOL_WORKS.join(", ")}`);
  const folder = mkdtempSync(join(tmpdir(), "smith-bench-tool-"));
  try {
    writeFileSync(join(folder, "f"), `${LINE}\n`.repeat(LINES));
    const call = who === "smith" ? await toolCall(work, folder) : bareCall(work, join(folder, "f"));
    const times: number[] = [];
    for (let n = 0; n < WARM_CALLS + CALLS; n++) {
      const began = performance.now();
      await call.run(n);
      times.push(performance.now() - began);
    }
    await call.end();
    process.stdout.write(`${JSON.stringify(times.slice(WARM_CALLS))}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Call {
  run(n: number): Promise<void>;
  end(): Promise<void>;
}

/** Two texts in turn: an edit that changes nothing would be refused. */
const textOf = (n: number): string => (n % 2 === 0 ? "a" : "b").repeat(63);

async function toolCall(work: ToolWork, cwd: string): Promise<Call> {
  const { createBuiltinTools } = await import("@smith/tools");
  const { tools, dispose } = createBuiltinTools({
    ...{ confine: "writes", bash_timeout_s: 60, scrub_env: [], env: process.env },
  });
  const tool = tools.find(({ name }) => name === work);
  if (tool === undefined) throw new Error(`there is no tool ${work}`);
  const { signal } = new AbortController();
  const context: ToolContext = {
    ...{
      role: "direct",
      conversation_id: "c",
      turn_id: "t1",
      project_id: "p",
      job_id: null,
      mode: "full",
      call_id: "c1",
    },
    ...{ cwd, project_root: cwd, signal, isCancelled: () => false },
  };
  let hash = hashOf(await readFile(join(cwd, "f")));
  const argumentsOf = (n: number): object => {
    if (work === "bash") return { command: "true" };
    if (work === "read") return { path: "f", ...PAGE };
    return { path: "f", hash, op: "replace", start_line: EDITED_LINE, text: textOf(n) };
  };
  return {
    async run(n) {
      const outcome: ToolOutcome = await tool.run(tool.schema.parse(argumentsOf(n)), context);
      if (!outcome.ok) throw new Error(`${work}: ${outcome.error?.message}`);
      hash = outcome.files?.[0]?.hash_after ?? hash;
    },
    end: dispose,
  };
}

/** The least that does the same: no checks, no line ends but one, nothing that outlives its command. */
function bareCall(work: ToolWork, file: string): Call {
  const runs: Readonly<Record<ToolWork, (n: number) => Promise<void>>> = {
    async read() {
      const bytes = await readFile(file);
      const lines = bytes.toString("utf8").split("\n");
      const page = lines
        .slice(PAGE.offset - 1, PAGE.offset - 1 + PAGE.limit)
        .map((line, i) => `${PAGE.offset + i}│${line}`);
      if (`${hashOf(bytes)}${page.join("\n")}`.length < PAGE.limit) throw new Error("the page is short");
    },
    async edit(n) {
      const lines = (await readFile(file, "utf8")).split("\n");
      lines[EDITED_LINE - 1] = textOf(n);
      await using temp = await open(`${file}.tmp`, "w");
      await temp.writeFile(lines.join("\n"));
      await temp.sync();
      await rename(`${file}.tmp`, file);
    },
    bash: () =>
      new Promise((resolve, reject) => {
        const child = spawn("bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] });
        child.on("error", reject).on("close", () => resolve());
      }),
  };
  return { run: runs[work], end: async () => {} };
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { cancelReason } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import type { Tool, ToolContext, ToolFault, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { printable, refusal } from "./fault.ts";
import { type Finished, OUTPUT_MAX_CHARS, type Processes } from "./process.ts";

/** Seconds a command may take at most. */
const MAX_TIMEOUT_S = 600;
/** Seconds the executor waits beyond the command's own time: for the kill and the drain. */
const DEADLINE_MARGIN_S = 10;

export interface BashOptions {
  readonly processes: Processes;
  readonly timeout_s: number;
  /** The environment of children, already scrubbed. */
  readonly env: NodeJS.ProcessEnv;
}

const argumentsSchema = (timeoutS: number) =>
  z.strictObject({
    command: z.string(),
    timeout_s: z
      .number()
      .gt(0)
      .lte(MAX_TIMEOUT_S, `timeout_s can be at most ${MAX_TIMEOUT_S} seconds; run longer work in parts`)
      .default(timeoutS),
    cwd: z.string().optional(),
  });
type BashArguments = z.infer<ReturnType<typeof argumentsSchema>>;

/** `bash`: one command in a fresh shell. It is not confined: isolation is the machine's task. */
export const createBash = (options: BashOptions): Tool<BashArguments> =>
  Object.freeze({
    name: "bash",
    description: `Run a command in a fresh bash, no stdin. Output (both streams, middle cut above ${OUTPUT_MAX_CHARS} characters), then [exit N].`,
    schema: argumentsSchema(options.timeout_s),
    side_effects: "some",
    uses_process: true,
    max_chars: OUTPUT_MAX_CHARS + 1000, // the output is cut here; the marker and the last line come on top
    deadlineS: (args) => args.timeout_s + DEADLINE_MARGIN_S,
    run: (args, context) => bash(args, context, options),
    result_renderer: (_args, outcome) => render(outcome),
  } satisfies Tool<BashArguments>);

async function bash(args: BashArguments, context: ToolContext, options: BashOptions): Promise<ToolOutcome> {
  const { signal } = context;
  if (signal.aborted) return { ok: false, content: "[cancelled]", error: cancelledFault(signal) };
  try {
    const cwd = await existingDirectory(args.cwd, context.cwd);
    const finished = await options.processes.run({
      command: args.command,
      cwd,
      env: options.env,
      timeout_s: args.timeout_s,
      signal,
      label: `${context.turn_id}/${context.call_id}`,
    });
    return outcomeOf(finished, args, signal);
  } catch (thrown) {
    // The edge of this package: a refusal is an answer; anything else is a bug for the executor.
    if (!(thrown instanceof AgentError)) throw thrown;
    return { ok: false, content: "", error: { kind: thrown.kind, code: thrown.code, message: thrown.message } };
  }
}

/** The directory to run in. A missing one would come back from the system as if the shell were missing. */
async function existingDirectory(given: string | undefined, cwd: string): Promise<string> {
  const path = resolve(cwd, given ?? ".");
  if (await isDirectory(path)) return path;
  if (given !== undefined) {
    throw refusal("cwd_missing", `cwd: there is no directory ${printable(path)}. Nothing was run.`);
  }
  let parent = dirname(path);
  while (!(await isDirectory(parent)) && parent !== dirname(parent)) parent = dirname(parent);
  throw refusal(
    "cwd_gone",
    `The working directory ${printable(path)} is gone. Nothing was run. Pass cwd: ${JSON.stringify(parent)} to run there, or make it anew from there with mkdir -p.`,
  );
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // missing, or behind something that can't be passed
  );

function outcomeOf(finished: Finished, { timeout_s }: BashArguments, signal: AbortSignal): ToolOutcome {
  const { output, whole, output_bytes, exit_code, exit_signal, stopped } = finished;
  const base = { exit_code, metadata: { output_bytes } };
  /** What the model is shown, and the whole where that is a part of it. */
  const told = (last: string) => ({
    content: withLast(output, last),
    ...(whole === null ? {} : { full_output: withLast(whole, last) }),
  });
  if (stopped === "cancelled") {
    return { ...base, ok: false, ...told("cancelled"), error: cancelledFault(signal) };
  }
  if (stopped === "timeout") {
    const message = `The command was stopped after ${timeout_s} s. Run it in parts or with a larger timeout_s (at most ${MAX_TIMEOUT_S}).`;
    return {
      ...base,
      ok: false,
      ...told(`timeout after ${timeout_s} s`),
      error: { code: "timeout", message },
    };
  }
  return {
    ...base,
    ok: true,
    ...told(exit_signal === null ? `exit ${exit_code}` : `exit ${exit_code}, ${exit_signal}`),
  };
}

const withLast = (output: string, last: string): string =>
  `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${last}]`;

const cancelledFault = (signal: AbortSignal): ToolFault => ({
  kind: "cancelled",
  code: "cancelled",
  message: cancelReason(signal),
});

function render({ ok, exit_code, error, metadata }: ToolOutcome): string {
  const size = `(${metadata?.["output_bytes"] ?? 0} B)`;
  if (ok) return `exit ${exit_code} ${size}`;
  if (error?.code === "timeout" || error?.code === "cancelled") return `${error.code} ${size}`;
  return `error: ${error?.message}`;
}

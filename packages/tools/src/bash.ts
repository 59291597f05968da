import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { cancelReason } from "@smith/contract/cancel";
import { AgentError } from "@smith/contract/error";
import type { Tool, ToolContext, ToolFault, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type BackgroundCommands, statusOf } from "./background.ts";
import { type Collected, OUTPUT_MAX_CHARS } from "./collect.ts";
import { printable, refusal } from "./fault.ts";
import type { End, Processes } from "./process.ts";

/** Seconds a command may take at most. */
const MAX_TIMEOUT_S = 600;
/** Seconds the executor waits beyond the command's own time: for the kill and the drain. */
const DEADLINE_MARGIN_S = 10;

export interface BashOptions {
  readonly processes: Processes;
  readonly background: BackgroundCommands;
  readonly timeout_s: number;
  /** The environment of children, already scrubbed. */
  readonly env: NodeJS.ProcessEnv;
}

const argumentsSchema = (timeoutS: number) =>
  z
    .strictObject({
      command: z.string().optional(),
      timeout_s: z
        .number()
        .gt(0)
        .lte(MAX_TIMEOUT_S, `timeout_s can be at most ${MAX_TIMEOUT_S} seconds; run longer work in the background`)
        .optional()
        .describe(`default ${timeoutS}`),
      cwd: z.string().optional(),
      background: z.boolean().optional(),
      job: z.string().optional(),
      action: z.enum(["output", "kill"]).optional(),
    })
    // The two forms are one flat object, since many endpoints refuse unions; the law between the fields is told here.
    .superRefine((args, context) => {
      const form = formOf(args);
      if (typeof form === "string") context.addIssue({ code: "custom", message: form });
    })
    // In the background a command has no time but the one it is given: a default of the field would hide that.
    .transform((args) =>
      args.command === undefined || args.background === true
        ? args
        : { ...args, timeout_s: args.timeout_s ?? timeoutS },
    );
type BashArguments = z.infer<ReturnType<typeof argumentsSchema>>;

type CommandForm = Pick<BashArguments, "timeout_s" | "cwd" | "background"> & { readonly command: string };
interface JobForm {
  readonly job: string;
  readonly action: "output" | "kill";
}

/** The call that the arguments describe, or what is wrong with them. */
function formOf(args: BashArguments): CommandForm | JobForm | string {
  const { command, job, action } = args;
  if (job === undefined && action === undefined) {
    return command === undefined ? "give command, or job and action" : { ...args, command };
  }
  const stray = (["command", "timeout_s", "cwd", "background"] as const).find((name) => args[name] !== undefined);
  if (stray !== undefined) return `job and action take no ${stray}: use one form or the other`;
  if (job === undefined) return "job is missing: the name that background: true returned";
  if (action === undefined) return "action is missing: output or kill";
  return { job, action };
}

/** `bash`: one command in a fresh shell. It is not confined: isolation is the machine's task. */
export const createBash = (options: BashOptions): Tool<BashArguments> =>
  Object.freeze({
    name: "bash",
    description: `Run a command in a fresh bash, no stdin. Output (both streams, middle cut above ${OUTPUT_MAX_CHARS} characters), then [exit N]. background returns a job (bg1) at once; job and action read what is new or end it.`,
    schema: argumentsSchema(options.timeout_s),
    side_effects: "some",
    uses_process: true,
    max_chars: OUTPUT_MAX_CHARS + 1000, // the output is cut here; the marker and the last line come on top
    deadlineS: (args) => (args.timeout_s ?? options.timeout_s) + DEADLINE_MARGIN_S,
    run: (args, context) => bash(args, context, options),
    result_renderer: (args, outcome) => render(args, outcome),
  } satisfies Tool<BashArguments>);

async function bash(args: BashArguments, context: ToolContext, options: BashOptions): Promise<ToolOutcome> {
  const { signal } = context;
  if (signal.aborted) return { ok: false, content: "[cancelled]", error: cancelledFault(signal) };
  try {
    const form = formOf(args);
    if (typeof form === "string") throw refusal("bad_arguments", `${form}.`, "schema");
    if ("job" in form) return await ask(form, options.background);
    const timeout_s = form.timeout_s ?? (form.background === true ? null : options.timeout_s);
    const command = {
      ...{ command: form.command, cwd: await existingDirectory(form.cwd, context.cwd), env: options.env },
      ...{ timeout_s, signal, label: `${context.turn_id}/${context.call_id}` },
    };
    if (form.background === true) return { ok: true, content: await options.background.start(command) };
    const running = await options.processes.begin(command);
    return outcomeOf(await running.ended, running.take(), { timeout_s, signal });
  } catch (thrown) {
    // The edge of this package: a refusal is an answer; anything else is a bug for the executor.
    if (!(thrown instanceof AgentError)) throw thrown;
    return { ok: false, content: "", error: { kind: thrown.kind, code: thrown.code, message: thrown.message } };
  }
}

/** What a background command wrote since it was last asked for, and whether it still runs. */
async function ask({ job, action }: JobForm, background: BackgroundCommands): Promise<ToolOutcome> {
  if (action === "kill") await background.kill(job);
  const { end, ...collected } = background.news(job);
  return {
    ...{ ok: true, ...(end === null ? {} : { exit_code: end.exit_code }) },
    ...told(collected, end === null ? "running" : statusOf(end)),
  };
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

function outcomeOf(
  end: End,
  collected: Collected,
  { timeout_s, signal }: { timeout_s: number | null; signal: AbortSignal },
): ToolOutcome {
  const { exit_code, stopped } = end;
  if (stopped === "cancelled") {
    return { ok: false, exit_code, ...told(collected, "cancelled"), error: cancelledFault(signal) };
  }
  if (stopped === "timeout") {
    const message = `The command was stopped after ${timeout_s} s. Run it in parts, in the background or with a larger timeout_s (at most ${MAX_TIMEOUT_S}).`;
    return {
      ...{ ok: false, exit_code, ...told(collected, `timeout after ${timeout_s} s`) },
      error: { code: "timeout", message },
    };
  }
  return { ok: true, exit_code, ...told(collected, statusOf(end)) };
}

/** What the model is shown, and the whole where that is a part of it. */
const told = ({ output, whole, output_bytes }: Collected, last: string) => ({
  content: withLast(output, last),
  metadata: { output_bytes },
  ...(whole === null ? {} : { full_output: withLast(whole, last) }),
});

const withLast = (output: string, last: string): string =>
  `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${last}]`;

const cancelledFault = (signal: AbortSignal): ToolFault => ({
  kind: "cancelled",
  code: "cancelled",
  message: cancelReason(signal),
});

function render({ job, background }: BashArguments, { ok, exit_code, content, error, metadata }: ToolOutcome): string {
  const size = `(${metadata?.["output_bytes"] ?? 0} B)`;
  if (error?.code === "timeout" || error?.code === "cancelled") return `${error.code} ${size}`;
  if (!ok) return `error: ${error?.message}`;
  if (background === true) return `${content} in the background`;
  return job === undefined
    ? `exit ${exit_code} ${size}`
    : `${job} ${exit_code === undefined ? "runs" : "ended"} ${size}`;
}

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DispatchResult } from "@smith/contract/dispatch";
import type { AgentEvent } from "@smith/contract/event";
import type { TurnResult } from "@smith/contract/turn";
import {
  type RecordedRequest,
  type Script,
  type ScriptedCall,
  type ScriptedLlm,
  startScriptedLlm,
} from "@smith/testkit";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createRuntime, type Layer, type Runtime, type RuntimeOptions } from "../src/index.ts";

/** A fresh working folder and a place for a database. */
export function folders(): { readonly cwd: string; readonly database: string; remove(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-jobs-")));
  const cwd = join(root, "work");
  mkdirSync(cwd);
  return { cwd, database: join(root, "smith.db"), remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface SceneOptions extends Pick<RuntimeOptions, "service_handles" | "services" | "confirm"> {
  readonly dispatch?: object;
  readonly llm_config?: object;
  readonly config?: Layer;
  /** Keep what is said in a file, not in memory. */
  readonly on_disk?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** False: the script may have steps left over or too few. */
  readonly exact?: boolean;
}

export interface Scene extends AsyncDisposable {
  readonly cwd: string;
  readonly llm: ScriptedLlm;
  readonly runtime: Runtime;
  /** In the order a listener is told of them. */
  readonly events: readonly AgentEvent[];
}

/** A runtime over a scripted model without retries; each child role has its own script. */
export async function openScene(script: Script, options: SceneOptions = {}): Promise<Scene> {
  const { cwd, database, remove } = folders();
  const llm = await startScriptedLlm(script);
  const { service_handles, services, confirm, env } = options;
  const runtime = createRuntime({
    cwd: () => cwd,
    database: options.on_disk === true ? database : null,
    env: { PATH: process.env["PATH"], ...env },
    config: {
      ...{
        default_model: "scripted",
        empty_response_retry_max_retries: 0,
        services: { dispatch: options.dispatch ?? {} },
      },
      llm_config: { api_url: llm.url, retry_max_retries: 0, ...options.llm_config },
      ...options.config,
    },
    ...(service_handles === undefined ? {} : { service_handles }),
    ...(services === undefined ? {} : { services }),
    ...(confirm === undefined ? {} : { confirm }),
  });
  const events: AgentEvent[] = [];
  runtime.subscribe((event) => void events.push(event));
  return {
    ...{ cwd, llm, runtime, events },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      remove();
      if (options.exact === false) await llm.close();
      else await llm[Symbol.asyncDispose]();
    },
  };
}

/** The same for the length of a test. */
export async function scene(script: Script, options?: SceneOptions): Promise<Scene> {
  const opened = await openScene(script, options);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

export const call = (id: string, name: string, args: unknown = {}): ScriptedCall => ({ id, name, args });
export const dispatch = (id: string, target_role: "worker" | "explorer", more: object = {}): ScriptedCall =>
  call(id, "dispatch", { target_role, task: `Task ${id}.`, ...more });
export const report = (id = "r", more: object = {}): ScriptedCall =>
  call(id, "report", { status: "ok", summary: "Found it.", ...more });
export const bash = (id: string, command: string): ScriptedCall => call(id, "bash", { command });

const text = z.string();
const count = z.int().gte(0);
const tokens = count.nullable();
const error = z.strictObject({
  ...{ kind: text.min(1), code: text.min(1), message: text.min(1), retryable: z.boolean(), origin: text },
  ...{ data: z.record(text, z.unknown()), cause: text.nullable() },
});

/** The dispatch result as docs/DELEGATION.md tells it, written down a second time. */
export const RESULT = z.strictObject({
  job_id: text.regex(/^[0-9A-Za-z]{12}$/),
  target_role: z.enum(["worker", "explorer"]),
  status: z.enum(["ok", "partial", "blocked"]),
  summary: text.trim().min(1),
  findings: z.array(text),
  evidence: z.array(z.partialRecord(z.enum(["receipt", "path", "lines", "quote", "note"]), text)),
  evidence_check: z.array(
    z.strictObject({ index: count, verdict: z.enum(["verified", "stale", "unsupported"]), why: text }),
  ),
  evidence_counts: z.strictObject({ verified: count, stale: count, unsupported: count }),
  changes: z.array(z.strictObject({ path: text, what: text })),
  verification: z.array(z.strictObject({ command: text, outcome: text })),
  changes_check: z
    .strictObject({
      ...{ claimed_and_done: z.array(text), claimed_not_done: z.array(text) },
      ...{ done_not_claimed: z.array(text), shared: z.array(text) },
    })
    .nullable(),
  verification_check: z
    .array(z.strictObject({ index: count, ran: z.boolean(), receipt: text.nullable(), exit_code: z.int().nullable() }))
    .nullable(),
  limitations: z.array(text),
  parent_job_id: text.nullable(),
  synthetic: z.boolean(),
  cancelled: z.boolean(),
  error: error.nullable(),
  usage: z.strictObject({
    ...{ input_tokens: tokens, output_tokens: tokens, cached_tokens: tokens, reasoning_tokens: tokens },
    cost_usd: z.number().nullable(),
  }),
  rounds: count,
  duration_ms: count,
  recall_key: text.nullable(),
});

type Gist = Pick<DispatchResult, "target_role" | "status" | "summary" | "synthetic" | "cancelled" | "error">;

/** What matters of a result, and whose it is. */
export const gist = ({ target_role, status, summary, synthetic, cancelled, error }: Gist) => ({
  ...{ target_role, status, summary, synthetic, cancelled, code: error?.code ?? null },
});

/** The results that the model was given, in the order of the turn's messages. */
export const given = (result: TurnResult): readonly DispatchResult[] =>
  result.messages.flatMap((message) =>
    message.role === "tool" && message.name === "dispatch" && message.ok
      ? [JSON.parse(message.content) as DispatchResult]
      : [],
  );

export interface WireBody {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}
export const bodyOf = (request: RecordedRequest | undefined): WireBody => request?.body as WireBody;

/** A result as a child was given it, without the line that names its receipt. */
export const untagged = (content: string | null | undefined): string =>
  (content ?? "").replace(/\n?\[receipt r\d+\]$/, "");

/** The requests of one role, in order. */
export const asked = (llm: ScriptedLlm, role: string): readonly RecordedRequest[] =>
  llm.requests.filter((request) => request.role === role);

export const MARK = "SMITH_TEST_MARK";

/** Command lines of live processes with this mark in their environment, a moment from now; none where there is no /proc. */
export async function leftBehind(mark: string): Promise<readonly string[]> {
  const deadline = performance.now() + 500;
  while (marked(mark).length > 0 && performance.now() < deadline) await new Promise((done) => setTimeout(done, 10));
  return marked(mark).map((pid) => readOrEmpty(`/proc/${pid}/cmdline`).split("\0").join(" ").trim());
}

const marked = (mark: string): readonly string[] =>
  (existsSync("/proc") ? readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOrEmpty(`/proc/${pid}/environ`).split("\0").includes(`${MARK}=${mark}`));

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it ended meanwhile, or is another user's
  }
}

import { z } from "zod";

/**
 * Every configuration leaf, once. `overridable`: `/config set` takes it. `project`: a project file may set it without
 * being trusted. Types, checks, allowlist, completion and docs/CONFIG.md are read from here.
 */
export interface LeafMeta {
  readonly overridable?: boolean;
  readonly project?: boolean;
  /** What it does, one sentence without a full stop; the docs table shows it. */
  readonly description: string;
}

const name = z.string().min(1);
const positive = z.number().gt(0);
const positiveInt = z.int().gt(0);
const count = z.number().gte(0);
const backoff = z.array(z.number().gte(0)).min(1);

/** A relative path that stays inside: no leading `/`, no `..` segment, no drive prefix. */
const safeRelativePath = name.refine(
  (path) => !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes(".."),
  "expected a relative path without '..'",
);
const httpUrl = name.refine((url) => /^https?:\/\/[^/]/.test(url), "expected an http(s) address");

export const USER_ROLES = ["direct", "orchestrator"] as const;
export const MODES = ["full", "ask", "plan"] as const;
export type Mode = (typeof MODES)[number];
export const EFFORTS = ["low", "medium", "high"] as const;

const set = { overridable: true } as const;
const both = { overridable: true, project: true } as const;

const LlmConfig = z.strictObject({
  api_url: httpUrl.optional().meta({ ...set, description: "Base address of an OpenAI-compatible endpoint" }),
  api_key_env: name.default("LLM_API_KEY").meta({ ...set, description: "Environment variable that holds its key" }),
  stream: z
    .boolean()
    .default(true)
    .meta({ ...both, description: "Ask for answers piece by piece" }),
  retry_max_retries: z
    .int()
    .gte(0)
    .default(2)
    .meta({ ...both, description: "Retries after a transport failure" }),
  retry_backoff_ms: backoff
    .default([2000, 8000])
    .meta({ ...both, description: "Wait before each retry, ms; the last repeats" }),
  stream_retry_after_output: z
    .boolean()
    .default(false)
    .meta({ ...both, description: "Retry even after text was shown" }),
  timeout: positive.optional().meta({ ...both, description: "Seconds for a whole answer that is not streamed (600)" }),
  connect_timeout: positive.optional().meta({ ...both, description: "Seconds for connect, TLS and headers (120)" }),
  send_timeout: positive.optional().meta({ ...both, description: "Seconds for sending the request (30)" }),
  recv_timeout: positive.optional().meta({ ...both, description: "Accepted for old files; cancel is native (0.5)" }),
  stream_stall_timeout: positive.optional().meta({ ...both, description: "Seconds a stream may be silent (120)" }),
});

export const Config = z.strictObject({
  default_model: name.optional().meta({ ...both, description: "Model for every role without one of its own" }),
  models: z
    .record(name, name)
    .default({})
    .meta({ ...both, description: "Model of one role, or of `default`" }),
  active_role: z
    .enum(USER_ROLES)
    .optional()
    .meta({ ...both, description: "Role that answers the user (direct)" }),
  index_file: safeRelativePath
    .default("INDEX.md")
    .meta({ ...both, description: "Project context, read at the repository root" }),
  tool_step_budget: positiveInt.optional().meta({ ...both, description: "Tool calls a turn may make" }),
  max_rounds: positiveInt.optional().meta({ ...both, description: "Model calls a turn may make (one-shot: 100)" }),
  temperature: z
    .number()
    .gte(0)
    .lte(2)
    .optional()
    .meta({ ...both, description: "Sampling temperature" }),
  max_tokens: positiveInt.optional().meta({ ...both, description: "Output tokens of one answer" }),
  effort: z
    .enum(EFFORTS)
    .optional()
    .meta({ ...both, description: "Reasoning effort, where the provider has it" }),
  llm_config: LlmConfig.prefault({}),
  empty_response_retry_max_retries: z
    .int()
    .gte(0)
    .default(2)
    .meta({ ...set, description: "Retries of an empty answer" }),
  empty_response_retry_backoff_ms: backoff
    .default([500, 1000])
    .meta({ ...set, description: "Wait before each, ms; the last repeats" }),
  context_management: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .meta({ ...set, description: "Elide and drop old output" }),
      tool_output_keep_rounds: count.default(7).meta({ ...set, description: "Newest tool rounds kept verbatim" }),
      tool_output_elide_over_chars: count
        .default(1024)
        .meta({ ...set, description: "Older outputs above this are elided" }),
      trim_threshold_pct: z
        .number()
        .gt(0)
        .lte(100)
        .default(80)
        .meta({ ...set, description: "Share of the window that may be used" }),
    })
    .prefault({}),
  services: z
    .strictObject({
      tool: z
        .strictObject({
          confine: z
            .enum(["writes", "all", "off"])
            .default("writes")
            .meta({ ...set, description: "Which file tools stay in the project" }),
          env_pass: z
            .array(name)
            .default([])
            .meta({ ...set, description: "Scrubbed variables that children may have" }),
          bash: z
            .strictObject({
              timeout_s: positive
                .lte(600)
                .default(120)
                .meta({ ...both, description: "Seconds a command may take" }),
            })
            .prefault({}),
        })
        .prefault({}),
    })
    .prefault({}),
});

/** The effective configuration: defaults filled in. */
export type Config = z.infer<typeof Config>;
/** A layer: any part of it. */
export type ConfigLayer = z.input<typeof Config>;

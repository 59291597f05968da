import { z } from "zod";
import { OwnPrice } from "./price.ts";
import { TARGET_ROLES } from "./target-role.ts";

/**
 * Every configuration leaf, once: types, checks, the `/config set` allowlist, completion and docs/CONFIG.md are read
 * from here. Seconds everywhere (`_s` or the older names), milliseconds only where a name says `_ms`.
 */
export interface LeafMeta {
  /** `/config set` takes it. */
  readonly overridable: boolean;
  /** A project file may set it without being trusted. */
  readonly project: boolean;
  /** What it does, without a full stop; the docs table shows it. */
  readonly description: string;
}

/** `set`: by /config set. `project`: by an untrusted project file. `both`. `file`: by the user's own file and flags only. */
type Who = "set" | "project" | "both" | "file";

const leaf = <S extends z.ZodType>(who: Who, description: string, schema: S): S =>
  schema.meta({
    overridable: who === "set" || who === "both",
    project: who === "project" || who === "both",
    description,
  } satisfies LeafMeta);

const name = z.string().min(1);
const names = z.array(name);
const positive = z.number().gt(0);
const positiveInt = z.int().gt(0);
const count = z.int().gte(0);
const backoff = z.array(z.number().gte(0)).min(1);
const percent = z.number().gt(0).lte(100);

/** A relative path that stays inside: no leading `/`, no `..` segment, no drive prefix. */
const safeRelativePath = name.refine(
  (path) => !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes(".."),
  "expected a relative path without '..'",
);
const absolutePath = name.refine((path) => path.startsWith("/"), "expected an absolute path");
const isHttpUrl = (url: string): boolean => /^https?:\/\/[^/]/.test(url) && URL.canParse(url);
const httpUrl = name.refine(isHttpUrl, "expected an http(s) address");
/** One with variables to be put in is known to be an address only then. */
const openUrl = name.refine((url) => url.includes("${") || isHttpUrl(url), "expected an http(s) address");

/** The built-in roles that answer the user. */
export const USER_ROLES = ["direct", "orchestrator"] as const;
export const BASE_ROLES = [...USER_ROLES, ...TARGET_ROLES] as const;
export type BaseRole = (typeof BASE_ROLES)[number];

const isTarget = (role: string): boolean => TARGET_ROLES.some((each) => each === role);
/** Session modes, widest first. */
export const MODES = ["full", "ask", "plan"] as const;
export type Mode = (typeof MODES)[number];
export const EFFORTS = ["low", "medium", "high"] as const;
export const PROVIDER_KINDS = ["openai_chat", "openai_responses", "anthropic", "ollama", "ai_sdk"] as const;

const ROLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
/** Whether there is such a role is known when the roles are. */
const userRole = name.refine(
  (role) => ROLE_NAME.test(role) && !isTarget(role),
  "expected direct, orchestrator or a custom role that answers you",
);

const llm_config = z.strictObject({
  api_url: leaf("set", "Base address of an OpenAI-compatible endpoint", httpUrl.optional()),
  api_key_env: leaf("set", "Environment variable that holds its key", name.default("LLM_API_KEY")),
  stream: leaf("both", "Ask for answers piece by piece", z.boolean().default(true)),
  retry_max_retries: leaf("both", "Retries after a transport failure", count.default(2)),
  retry_backoff_ms: leaf("both", "Wait before each retry; the last repeats", backoff.default([2000, 8000])),
  stream_retry_after_output: leaf("both", "Retry even after text was shown", z.boolean().default(false)),
  timeout: leaf("both", "Seconds for an answer that is not streamed (600)", positive.optional()),
  connect_timeout: leaf("both", "Seconds for connect, TLS and headers (120)", positive.optional()),
  send_timeout: leaf("both", "Seconds for sending a request (30)", positive.optional()),
  recv_timeout: leaf("both", "Accepted for older files; cancel needs no polling (0.5)", positive.optional()),
  stream_stall_timeout: leaf("both", "Seconds a stream may be silent (120)", positive.optional()),
});

const context_management = z.strictObject({
  enabled: leaf("both", "Elide and drop old output to fit the window", z.boolean().default(true)),
  tool_output_keep_rounds: leaf("both", "Newest tool rounds kept verbatim", count.default(7)),
  tool_output_elide_over_chars: leaf("both", "Older outputs longer than this are elided", count.default(1024)),
  trim_threshold_pct: leaf("both", "Share of the window that may be used", percent.default(80)),
  elide_step: leaf(
    "both",
    "Elide in steps of this times the verbatim tail; 0 = every round",
    z.number().gte(0).default(2),
  ),
  drop_to_pct: leaf("both", "Share of the window that dropping goes down to", percent.default(60)),
  compact: z
    .strictObject({
      enabled: leaf("both", "Summarise older history before rounds are dropped", z.boolean().default(true)),
      keep_messages: leaf("both", "Newest messages that are never summarised", z.int().gte(2).default(8)),
      transcript_chars: leaf("both", "Characters of history given to the summariser", positiveInt.default(24_000)),
    })
    .prefault({}),
});

const Provider = z.strictObject({
  name,
  kind: z.enum(PROVIDER_KINDS),
  package: name.optional(),
  model: name.optional(),
  api_url: httpUrl.optional(),
  api_key_env: name.optional(),
  api_key: name.optional(),
  timeout_s: positive.optional(),
  think: z.boolean().optional(),
  keep_alive: z.union([name, z.number()]).optional(),
  context_window: positiveInt.optional(),
  headers: z.record(name, z.string()).optional(),
});

const uniqueNames = (list: readonly { readonly name: string }[]) =>
  new Set(list.map((each) => each.name)).size === list.length;

const tool = z.strictObject({
  extra: leaf("set", "Off-by-default tools to switch on", names.default([])),
  enabled: leaf(
    "set",
    "Tools that may be used at all; can only subtract",
    z.union([z.literal("all"), names]).default("all"),
  ),
  confine: leaf("set", "Which file tools stay inside the project", z.enum(["writes", "all", "off"]).default("writes")),
  env_pass: leaf("set", "Scrubbed variables that child processes may have", names.default([])),
  web: z
    .strictObject({ allow_private: leaf("set", "Let web tools reach private addresses", z.boolean().default(false)) })
    .prefault({}),
  bash: z
    .strictObject({ timeout_s: leaf("both", "Seconds a command may take", positive.lte(600).default(120)) })
    .prefault({}),
  web_search: z
    .strictObject({
      backend: leaf("file", "linkup when its key is set, else duckduckgo", z.enum(["linkup", "duckduckgo"]).optional()),
      api_key_env: leaf("file", "Variable of the search key (LINKUP_API_KEY)", name.optional()),
      endpoint: leaf("file", "Address of the search service", httpUrl.optional()),
      depth: leaf("file", "How deep the service searches", name.optional()),
      output_type: leaf("file", "What the service answers with", name.optional()),
      max_results: leaf("file", "Results at most", positiveInt.optional()),
      timeout: leaf("file", "Seconds a search may take", positive.optional()),
    })
    .prefault({}),
});

const dispatch = z.strictObject({
  timeout_s: leaf("both", "Seconds a job may take", positive.default(900)),
  tool_step_budget: leaf("both", "Tool calls a job may make", positiveInt.optional()),
  max_rounds: leaf("both", "Model calls a job may make", positiveInt.default(60)),
  max_parallel: leaf("both", "Jobs of one message side by side", positiveInt.default(8)),
  max_processes: leaf("both", "Processes of the whole tree at once", positiveInt.default(16)),
});

/** Names that mean something already: the built-in roles, what they are called, the key of every role's model. */
const RESERVED = [...BASE_ROLES, "smith", "tank", "niobe", "link", "default", "constructor", "prototype"];

export const RoleName = z
  .string()
  .regex(ROLE_NAME, 'expected up to 40 letters, digits, "_" and "-", a letter first')
  .refine((role) => !RESERVED.includes(role.toLowerCase()), "expected another name: Smith uses this one itself");

/** A role of the user's own: what it leaves out is as its base has it. */
export const CustomRole = z.strictObject({
  base: z.enum(BASE_ROLES),
  description: name.optional(),
  prompt_file: name.optional(),
  tools: names.optional(),
  dispatch_targets: names.optional(),
  user_facing: z.boolean().optional(),
  model: name.optional(),
});
export type CustomRole = z.infer<typeof CustomRole>;

const Plugin = z.union([
  name,
  z.strictObject({ entry: name, roles: names.optional(), required: z.boolean().optional() }),
]);

/** Who may call a tool from outside (a program's, a plugin's, an MCP server's) that does not say so itself. */
export const OUTSIDE_ROLES: readonly BaseRole[] = Object.freeze(["direct", "worker"] as const);
/** What holds for an MCP server that does not say otherwise. */
export const MCP_DEFAULTS = Object.freeze({ roles: OUTSIDE_ROLES, timeout_s: 30, start_timeout_s: 10, enabled: true });
const mcpCommon = {
  roles: z.array(z.enum(BASE_ROLES)).optional(),
  timeout_s: positive.optional(),
  start_timeout_s: positive.optional(),
  enabled: z.boolean().optional(),
  enabled_tools: names.optional(),
  disabled_tools: names.optional(),
};
const strings = z.record(name, z.string());
const McpServer = z.union([
  z.strictObject({
    command: name,
    args: z.array(z.string()).optional(),
    env: strings.optional(),
    cwd: name.optional(),
    ...mcpCommon,
  }),
  z.strictObject({ url: openUrl, headers: strings.optional(), ...mcpCommon }),
]);

const ids = z.record(name, z.array(z.union([name, z.int()])));

const ui = z.strictObject({
  theme: leaf("set", "Colours", z.enum(["dark", "light", "none", "auto"]).default("auto")),
  rain: leaf("set", "Digital rain while a job thinks", z.boolean().default(true)),
  show_reasoning: leaf("set", "Show the model's reasoning, dimmed", z.boolean().default(true)),
  keys: z
    .strictObject({
      cancel: leaf("set", "Cancels the turn", name.default("ctrl-c")),
      transcript: leaf("set", "Opens the transcript", name.default("alt-h")),
      inspect: leaf("set", "Opens the inspect view", name.default("alt-i")),
    })
    .prefault({}),
});

const gateway = z.strictObject({
  allowed_users: leaf("file", "User ids that may write, by platform; docs/GATEWAY.md", ids.default({})),
  allowed_chats: leaf("file", "Chat ids that may write, by platform", ids.default({})),
  port: leaf("file", "Port of the webhook", z.int().gte(1).lte(65_535).default(8089)),
  bind: leaf("file", "Address the webhook binds", name.default("127.0.0.1")),
  tools: leaf("file", "Tools offered there; can only subtract", names.optional()),
});

export const Config = z.strictObject({
  default_model: leaf("both", "Model of every role without one of its own", name.optional()),
  models: leaf("both", "Model of one role, or of `default`", z.record(name, name).default({})),
  active_role: leaf("both", "Role that answers the user (direct)", userRole.optional()),
  index_file: leaf("both", "Project context, read at the repository root", safeRelativePath.default("INDEX.md")),
  tool_step_budget: leaf("both", "Tool calls a turn may make", positiveInt.optional()),
  max_rounds: leaf("both", "Model calls a turn may make (one-shot: 100, gateway: 25)", positiveInt.optional()),
  temperature: leaf("both", "Sampling temperature", z.number().gte(0).lte(2).optional()),
  max_tokens: leaf("both", "Output tokens of one answer", positiveInt.optional()),
  effort: leaf("both", "Reasoning effort, where the provider has it", z.enum(EFFORTS).optional()),
  mode: leaf("both", "Session ceiling; a project file may only narrow it", z.enum(MODES).default("full")),
  llm_config: llm_config.prefault({}),
  empty_response_retry_max_retries: leaf("both", "Retries of an empty answer", count.default(2)),
  empty_response_retry_backoff_ms: leaf("both", "Wait before each; the last repeats", backoff.default([500, 1000])),
  context_management: context_management.prefault({}),
  providers: leaf(
    "file",
    "Model providers in failover order",
    z.array(Provider).refine(uniqueNames, "expected provider names to be unique").default([]),
  ),
  prices: leaf(
    "file",
    "Dollars per million tokens, by model or provider:model; they win over every list",
    z.record(name, OwnPrice).default({}),
  ),
  services: z.strictObject({ tool: tool.prefault({}), dispatch: dispatch.prefault({}) }).prefault({}),
  roles: leaf("file", "Custom roles, never wider than their base", z.record(RoleName, CustomRole).default({})),
  plugins: leaf(
    "file",
    "Plugins to load: files, packages, or smith:audit and smith:ask-before-bash (PLUGINS.md)",
    z.array(Plugin).default([]),
  ),
  mcp_servers: leaf("file", "MCP servers to connect", z.record(name, McpServer).default({})),
  trusted_projects: leaf(
    "file",
    "Repositories whose project file may set everything",
    z.array(absolutePath).default([]),
  ),
  store: z.strictObject({ blob_max_mb: leaf("set", "Megabytes of kept outputs", positive.default(256)) }).prefault({}),
  session_dir: leaf("file", "Folder for a live JSONL mirror of conversations", name.optional()),
  ui: ui.prefault({}),
  gateway: gateway.prefault({}),
});

/** Whether nothing may run without it; where the entry does not say so, that holds for the guard that Smith brings. */
export const isRequiredPlugin = (each: z.infer<typeof Plugin>): boolean =>
  (typeof each === "string" ? undefined : each.required) ??
  (typeof each === "string" ? each : each.entry) === "smith:ask-before-bash";

/** The effective configuration: defaults filled in. */
export type Config = z.infer<typeof Config>;
/** What a layer of it may hold. */
export type ConfigInput = z.input<typeof Config>;
export type Provider = z.infer<typeof Provider>;
export type McpServer = z.infer<typeof McpServer>;

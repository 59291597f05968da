/** One configuration leaf as the specification has it: typed here, derived from nothing. */
export interface LeafRow {
  readonly path: string;
  /** `A`: `/config set` takes it. `P`: a project file may set it untrusted. */
  readonly who: "AP" | "A" | "P" | "";
  /** Absent: unset. */
  readonly default?: unknown;
  /** Two values that fit, neither of them the default. */
  readonly good: readonly [unknown, unknown];
  readonly bad: readonly unknown[];
}

const TEXT_BAD = ["", 1, true, null, ["x"], {}];
const FLAG_BAD = ["true", 1, null, [], {}];
const POSITIVE_BAD = [0, -1, "5", true, null, [], Number.POSITIVE_INFINITY, Number.NaN];
const POSITIVE_INT_BAD = [...POSITIVE_BAD, 1.5];
const COUNT_BAD = [-1, 1.5, "5", true, null, [], Number.POSITIVE_INFINITY];
const BACKOFF_BAD = [[], [-1], ["5"], 5, "5", {}, [null], null];
const PERCENT_BAD = [0, -1, 100.5, 101, "80", null];
const NAMES_BAD = ["read", [""], [1], {}, null];
const WHICH_BAD = ["", "other", 1, null, ["x"]];
const URL_BAD = ["", "ftp://h", "localhost:80", "http://", 1, null];

const text = (path: string, who: LeafRow["who"], fallback?: string): LeafRow => ({
  ...{ path, who, good: ["one", "a/b:c"], bad: TEXT_BAD },
  ...(fallback === undefined ? {} : { default: fallback }),
});
const flag = (path: string, who: LeafRow["who"], fallback: boolean): LeafRow => ({
  ...{ path, who, default: fallback, good: [!fallback, fallback], bad: FLAG_BAD },
});
const seconds = (path: string, who: LeafRow["who"], fallback?: number): LeafRow => ({
  ...{ path, who, good: [0.25, 7], bad: POSITIVE_BAD },
  ...(fallback === undefined ? {} : { default: fallback }),
});
const positiveInt = (path: string, who: LeafRow["who"], fallback?: number): LeafRow => ({
  ...{ path, who, good: [1, 31], bad: POSITIVE_INT_BAD },
  ...(fallback === undefined ? {} : { default: fallback }),
});
const count = (path: string, who: LeafRow["who"], fallback: number): LeafRow => ({
  ...{ path, who, default: fallback, good: [0, 31], bad: COUNT_BAD },
});
const backoff = (path: string, fallback: readonly number[]): LeafRow => ({
  ...{ path, who: "AP", default: fallback, good: [[0], [1, 2.5, 3]], bad: BACKOFF_BAD },
});
const percent = (path: string, fallback: number): LeafRow => ({
  ...{ path, who: "AP", default: fallback, good: [0.5, 100], bad: PERCENT_BAD },
});
const ids = (path: string): LeafRow => ({
  path,
  who: "",
  default: {},
  good: [{ telegram: [1, "two"] }, { discord: [] }],
  bad: [[], { telegram: 1 }, { telegram: [1.5] }, { telegram: [""] }, null],
});

const PROVIDER = { name: "a", kind: "openai_chat" };
const PRICE = {
  input_per_mtok: 1,
  output_per_mtok: 2.5,
  cache_read_per_mtok: null,
  cache_write_per_mtok: null,
  reasoning_per_mtok: null,
};
const WHOLE_PROVIDER = {
  ...{ name: "b", kind: "ai_sdk", package: "@ai-sdk/x", model: "m", api_url: "https://h/v1", api_key_env: "K" },
  ...{ timeout_s: 3, think: true, keep_alive: "5m", context_window: 8000 },
};
const PROVIDERS_BAD = [
  {},
  [{ name: "a" }],
  [{ kind: "ollama" }],
  [{ ...PROVIDER, kind: "olama" }],
  [{ ...PROVIDER, name: "" }],
  [PROVIDER, PROVIDER],
  [{ ...PROVIDER, more: 1 }],
  ...["model", "package", "api_key", "api_key_env"].map((key) => [{ ...PROVIDER, [key]: "" }]),
  ...[
    { api_url: "h" },
    { timeout_s: 0 },
    { think: "yes" },
    { keep_alive: true },
    { context_window: 0.5 },
    { headers: [] },
  ].map((more) => [{ ...PROVIDER, ...more }]),
];
const WHOLE_ROLE = {
  ...{ base: "worker", description: "d", prompt_file: "p.md", tools: ["read"], dispatch_targets: ["explorer"] },
  ...{ user_facing: true, model: "m" },
};
const SERVER = { command: "node", args: ["s.js"], cwd: "/s", roles: ["direct"], timeout_s: 5, enabled: false };

export const LEAVES: readonly LeafRow[] = [
  text("default_model", "AP"),
  {
    path: "models",
    who: "AP",
    default: {},
    good: [{ worker: "one" }, { default: "two", explorer: "three" }],
    bad: [[], "m", { worker: "" }, { worker: 1 }, { "": "m" }, null],
  },
  { path: "active_role", who: "AP", good: ["direct", "orchestrator"], bad: ["worker", "explorer", ...WHICH_BAD] },
  {
    path: "index_file",
    who: "AP",
    default: "INDEX.md",
    good: ["docs/INDEX.md", "a..b.md"],
    bad: ["/a", "a/../b", "..", "C:\\a", "\\a", "a\\..\\b", ...TEXT_BAD],
  },
  positiveInt("tool_step_budget", "AP"),
  positiveInt("max_rounds", "AP"),
  { path: "temperature", who: "AP", good: [0, 2], bad: [-0.1, 2.1, "1", null, Number.NaN] },
  positiveInt("max_tokens", "AP"),
  { path: "effort", who: "AP", good: ["low", "high"], bad: WHICH_BAD },
  { path: "mode", who: "AP", default: "full", good: ["ask", "plan"], bad: WHICH_BAD },
  { path: "llm_config.api_url", who: "A", good: ["http://127.0.0.1:1/v1", "https://h"], bad: URL_BAD },
  text("llm_config.api_key_env", "A", "LLM_API_KEY"),
  flag("llm_config.stream", "AP", true),
  count("llm_config.retry_max_retries", "AP", 2),
  backoff("llm_config.retry_backoff_ms", [2000, 8000]),
  flag("llm_config.stream_retry_after_output", "AP", false),
  seconds("llm_config.timeout", "AP"),
  seconds("llm_config.connect_timeout", "AP"),
  seconds("llm_config.send_timeout", "AP"),
  seconds("llm_config.recv_timeout", "AP"),
  seconds("llm_config.stream_stall_timeout", "AP"),
  count("empty_response_retry_max_retries", "AP", 2),
  backoff("empty_response_retry_backoff_ms", [500, 1000]),
  flag("context_management.enabled", "AP", true),
  count("context_management.tool_output_keep_rounds", "AP", 7),
  count("context_management.tool_output_elide_over_chars", "AP", 1024),
  percent("context_management.trim_threshold_pct", 80),
  { path: "context_management.elide_step", who: "AP", default: 2, good: [0, 3.5], bad: [-1, "2", null] },
  percent("context_management.drop_to_pct", 60),
  flag("context_management.compact.enabled", "AP", true),
  { path: "context_management.compact.keep_messages", who: "AP", default: 8, good: [2, 9], bad: [1, 2.5, "8", null] },
  positiveInt("context_management.compact.transcript_chars", "AP", 24_000),
  { path: "providers", who: "", default: [], good: [[PROVIDER], [PROVIDER, WHOLE_PROVIDER]], bad: PROVIDERS_BAD },
  {
    path: "prices",
    who: "",
    default: {},
    good: [{ m: PRICE }, { "a:m": { ...PRICE, cache_read_per_mtok: 0, reasoning_per_mtok: 3 } }],
    bad: [
      [],
      { m: 1 },
      { m: {} },
      { m: { input_per_mtok: 1 } },
      { m: { ...PRICE, input_per_mtok: -1 } },
      { m: { ...PRICE, x: 1 } },
      null,
    ],
  },
  { path: "services.tool.extra", who: "A", default: [], good: [["list_dir"], ["env_get", "x"]], bad: NAMES_BAD },
  { path: "services.tool.enabled", who: "A", default: "all", good: [["read"], []], bad: ["none", [""], 1, {}, null] },
  { path: "services.tool.confine", who: "A", default: "writes", good: ["all", "off"], bad: WHICH_BAD },
  { path: "services.tool.env_pass", who: "A", default: [], good: [["A"], ["A", "B"]], bad: NAMES_BAD },
  flag("services.tool.web.allow_private", "A", false),
  {
    path: "services.tool.bash.timeout_s",
    who: "AP",
    default: 120,
    good: [0.5, 600],
    bad: [600.5, 601, ...POSITIVE_BAD],
  },
  { path: "services.tool.web_search.backend", who: "", good: ["linkup", "duckduckgo"], bad: WHICH_BAD },
  text("services.tool.web_search.api_key_env", ""),
  { path: "services.tool.web_search.endpoint", who: "", good: ["http://h/a", "https://h"], bad: URL_BAD },
  text("services.tool.web_search.depth", ""),
  text("services.tool.web_search.output_type", ""),
  positiveInt("services.tool.web_search.max_results", ""),
  seconds("services.tool.web_search.timeout", ""),
  seconds("services.dispatch.timeout_s", "AP", 900),
  positiveInt("services.dispatch.tool_step_budget", "AP"),
  positiveInt("services.dispatch.max_rounds", "AP", 60),
  positiveInt("services.dispatch.max_parallel", "AP", 8),
  positiveInt("services.dispatch.max_processes", "AP", 16),
  {
    path: "roles",
    who: "",
    default: {},
    good: [{ reviewer: { base: "explorer" } }, { r: WHOLE_ROLE }],
    bad: [
      [],
      { r: {} },
      { r: { base: "" } },
      { r: { base: "worker", more: 1 } },
      { r: { base: "w", tools: "x" } },
      null,
    ],
  },
  {
    path: "plugins",
    who: "",
    default: [],
    good: [["./p.js"], [{ entry: "pkg", roles: ["worker"], required: true }]],
    bad: [{}, [3], [""], [{}], [{ entry: "p", more: 1 }], [{ entry: "p", required: 1 }], "p", null],
  },
  {
    path: "mcp_servers",
    who: "",
    default: {},
    good: [{ a: SERVER }, { b: { url: "https://h", timeout_s: 1 } }],
    bad: [[], { a: {} }, { a: { command: "" } }, { a: { command: "x", url: "http://h" } }, { a: { url: "h" } }, null],
  },
  { path: "trusted_projects", who: "", default: [], good: [["/a"], ["/a", "/b"]], bad: NAMES_BAD },
  seconds("store.blob_max_mb", "A", 256),
  text("session_dir", ""),
  { path: "ui.theme", who: "A", default: "auto", good: ["dark", "none"], bad: WHICH_BAD },
  flag("ui.rain", "A", true),
  flag("ui.show_reasoning", "A", true),
  text("ui.keys.cancel", "A", "ctrl-c"),
  text("ui.keys.transcript", "A", "alt-h"),
  text("ui.keys.inspect", "A", "alt-i"),
  ids("gateway.allowed_users"),
  ids("gateway.allowed_chats"),
  { path: "gateway.port", who: "", default: 8089, good: [1, 65_535], bad: [0, 65_536, 80.5, "80", null] },
  text("gateway.bind", "", "127.0.0.1"),
  { path: "gateway.tools", who: "", good: [["read"], []], bad: NAMES_BAD },
];

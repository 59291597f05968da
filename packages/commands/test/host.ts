import type { CommandHost } from "@smith/contract/command";
import type { Mode } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { Explained } from "@smith/contract/setting";

/** 50 models of one provider, and one that does not answer. */
const MODELS = {
  models: Array.from({ length: 50 }, (_, n) => ({
    ...{ id: `m${n}`, provider: "big", context_window: 8000, max_output_tokens: null },
    ...{ input_per_mtok: 1, output_per_mtok: 2, loaded: null },
  })),
  notes: ["big: listed 50 just now", "far: no list; asked now: nothing listens"],
  faults: ["far: no list; asked now: nothing listens"],
  ok: true,
};

/** A host that keeps everything in memory, and tells what was asked of it. */
export function memoryHost(): CommandHost & { readonly calls: string[] } {
  const calls: string[] = [];
  const values = new Map<string, unknown>([["max_rounds", 5]]);
  const session = { role: "direct", mode: "full" as Mode, model: null as string | null };
  const explained = (path: string): Explained => ({
    path,
    value: values.get(path) ?? null,
    winner: values.has(path) ? "user" : null,
    layers: values.has(path)
      ? [
          { layer: "defaults", value: 1, file: null, line: null },
          { layer: "user", value: values.get(path), file: "/home/config.json", line: 3 },
        ]
      : [],
  });
  return {
    calls,
    usage: {
      session: () => ({ requests: 0, usage: UNKNOWN_USAGE, children: {}, model: null, price: null }),
      list: async () => [],
      now: () => 0,
    },
    plugins: { list: async () => [], warnings: async () => [], ready: async () => {} },
    models: { list: async () => MODELS },
    memory: {
      search: async ({ text, kind, role, limit, all }) => {
        calls.push(`search ${JSON.stringify({ text, kind, role, limit, all })}`);
        const hit = { key: "note/c1/plan", conversation_id: "c1", role: null, ts: 0, snippet: "first", score: null };
        if (text === "and") return { hits: [], order: "newest", more: false, looked_at: 150_000 };
        if (text === "nothing") return { hits: [], order: "score", more: false, looked_at: null };
        return {
          hits: [{ kind: "note", ...hit }],
          order: text === "the" ? "newest" : "score",
          more: text === "the",
          looked_at: null,
        };
      },
      rebuild: async () => 7,
      list: async () => [{ id: "m1", content: "\nuse pnpm\nalways", updated_at: 5 }],
      delete: async (id) => id === "m1",
      keys: async () => [{ key: "plan", chars: 5 }],
      recall: async (key) => (key === "the plan" ? "first" : null),
    },
    mcp: { list: async () => [] },
    inspect: {
      read: async () => ({ conversation: null, rows: [], unreadable: 0, last_change: null }),
      remove: () => Promise.reject(new Error("nothing is stored here")),
      edit: () => Promise.reject(new Error("nothing is stored here")),
      takeBack: async () => null,
    },
    doctor: { checks: async () => [] },
    user_commands: { list: async () => ({ commands: [], warnings: [] }) },
    jobs: { list: () => [], background: () => [] },
    sessions: {
      list: async () => [],
      delete: () => Promise.reject(new Error("no sessions here")),
      messages: () => Promise.reject(new Error("no sessions here")),
      rename: () => Promise.reject(new Error("no sessions here")),
      fork: () => Promise.reject(new Error("no sessions here")),
    },
    config: {
      get: (path) => (path === null ? Object.fromEntries(values) : values.get(path)),
      explain: async (path) => explained(path),
      async set(path, text) {
        calls.push(`set ${path} ${text}`);
        values.set(path, text);
      },
      async unset(path) {
        calls.push(`unset ${path}`);
        values.delete(path);
      },
      paths: () => [
        { path: "max_rounds", overridable: true, description: "Model calls a turn may make" },
        { path: "plugins", overridable: false, description: "Plugins to load" },
      ],
      files: () => ({ user: "/home/config.json", project: null, database: "/home/smith.db" }),
    },
    session: {
      project: () => "p",
      root: () => null,
      files: async () => [],
      role: () => session.role,
      mode: () => session.mode,
      model: () => (session.model === null ? null : { model: session.model, provider: "default", source: "override" }),
      async choose() {
        if (session.model !== null) return { model: session.model, provider: "default", source: "override" };
        throw new AgentError({ kind: "schema", code: "no_model", origin: "test", message: "no model is set." });
      },
      async use({ role, mode, model }) {
        calls.push(`use ${JSON.stringify({ role, mode, model })}`);
        if (role !== undefined) session.role = role;
        if (mode !== undefined) session.mode = mode as Mode;
        if (model !== undefined) session.model = model;
      },
      startAfresh: () => void calls.push("start afresh"),
      conversation: () => null,
      resume: () => Promise.reject(new Error("no sessions here")),
      clear: async () => false,
      undo: () => Promise.reject(new Error("no sessions here")),
      prompt: async () => "Be brief.",
      write: () => Promise.reject(new Error("no files here")),
      context: () => Promise.reject(new Error("no sessions here")),
      compact: () => Promise.reject(new Error("no sessions here")),
      last: async () => null,
    },
    policy: {
      roles: () =>
        ["direct", "orchestrator"].map((name) => {
          return { name, base: name, user_facing: true, description: null, source: null };
        }),
      tools: async (role) => [
        { name: "read", side_effects: "none", allowed: true, rule: `the role may call read` },
        { name: "bash", side_effects: "some", allowed: role === "direct", rule: `${role} and bash` },
      ],
      explain: async (role, tool) => ({ role, tool, decision: "deny", rule: `${role} may not`, source: "role matrix" }),
      table: async (mode) => [
        {
          tool: "bash",
          side_effects: "some",
          roles: { direct: mode === "ask" ? "ask" : "allow", orchestrator: "deny" },
        },
      ],
    },
  };
}

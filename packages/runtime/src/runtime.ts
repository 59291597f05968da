import { createCancel } from "@smith/contract/cancel";
import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { AgentEvent } from "@smith/contract/event";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Conversation, Store } from "@smith/contract/store";
import type { Notice, TurnResult } from "@smith/contract/turn";
import { createEventBus, createToolRegistry, type Listener, type ToolRegistry } from "@smith/engine";
import { chooseModel, connectModel, type ModelChoice } from "./models.ts";
import { findProject, type Project } from "./project.ts";
import { runOneTurn } from "./turns.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface RuntimeOptions {
  /** Absolute working directory. */
  readonly cwd: string;
  readonly env: Env;
  readonly config: Readonly<Config>;
  /** Absolute path of the database; null keeps everything in memory. */
  readonly database: string | null;
  readonly role?: string;
  /** Wins over every configured model. */
  readonly model?: string;
  now?(): number;
  newId?(): string;
}

export interface RunOptions {
  /** Go on with this conversation; absent: with the one this runtime is in, at first a fresh one. */
  readonly conversation_id?: string;
  readonly signal?: AbortSignal;
}

export interface Runtime {
  readonly model: ModelChoice;
  readonly project: Project;
  /** What opening the store had to say. */
  readonly notices: readonly Notice[];
  subscribe(listener: Listener): () => void;
  events(): readonly AgentEvent[];
  drain(): readonly AgentEvent[];
  /**
   * One turn. Never throws for what happens inside it.
   * @throws {AgentError} `policy`/`turn_active` while another turn runs; `persistence`/`conversation_busy` when another
   * process holds the conversation; `persistence`/`unknown_conversation`.
   */
  run(input: string, options?: RunOptions): Promise<TurnResult>;
  /** Cancels the running turn, if any, with everything below it. */
  cancel(reason: string): void;
  /** This project's conversations, newest first. */
  conversations(): Promise<readonly Conversation[]>;
  /**
   * The conversation of this project that an id, a unique beginning of one, or `latest` means; null when `latest` finds
   * none.
   * @throws {AgentError} `persistence`/`unknown_conversation` when it means none, or more than one.
   */
  findConversation(wanted: string): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Opens the store, chooses the model and composes the tools. The caller closes it.
 * @throws {AgentError} `schema`/`config`, `transport`/`auth`, `persistence` - before any request is made.
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config, env, cwd } = options;
  const now = options.now ?? Date.now;
  const role = options.role ?? config.active_role ?? "direct";
  const project = findProject(cwd);
  const choice = chooseModel(config, role, options.model ?? null);
  const [chat, opened, tools] = await Promise.all([
    connectModel(choice, config, env),
    openTheStore(options.database, now),
    makeTools(config, env),
  ]);
  const bus = createEventBus(now);
  const conversation = createConversation(opened.store, options.newId ?? newConversationId);
  const cancel = createCancel();
  let active: ReturnType<typeof cancel.child> | null = null;

  const run = async (input: string, runOptions: RunOptions = {}): Promise<TurnResult> => {
    if (active !== null) throw turnActive();
    using turnCancel = runOptions.signal === undefined ? cancel.child() : createCancel(runOptions.signal);
    active = turnCancel;
    try {
      const { id, history } = await conversation.enter(runOptions.conversation_id);
      const world = {
        config,
        cwd,
        project,
        role,
        choice,
        chat,
        registry: tools.registry,
        store: opened.store,
        bus,
        now,
      };
      const result = await runOneTurn({ input, conversation_id: id, history, signal: turnCancel.signal }, world);
      conversation.add(result.messages);
      return result;
    } finally {
      active = null;
    }
  };

  return Object.freeze({
    model: choice,
    project,
    notices: opened.notices,
    subscribe: bus.subscribe,
    events: bus.events,
    drain: bus.drain,
    run,
    cancel: (reason: string) => active?.request(reason),
    conversations: () => opened.store.conversation.list({ project_id: project.project_id, children: false }),
    async findConversation(wanted: string) {
      const known = await opened.store.conversation.list({ project_id: project.project_id, children: false });
      if (wanted === "latest") return known[0]?.id ?? null;
      return matchConversation(wanted, known);
    },
    async close() {
      cancel.request("the runtime was closed");
      await tools.dispose();
      await opened.store.close();
    },
  });
}

const turnActive = (): AgentError =>
  new AgentError({
    kind: "policy",
    code: "turn_active",
    origin: "runtime/run",
    message: "A turn is running already. Wait for it, or cancel it first.",
  });

async function openTheStore(
  file: string | null,
  now: () => number,
): Promise<{ store: Store; notices: readonly Notice[] }> {
  const { openStore } = await import("@smith/store");
  return openStore({ file, now });
}

async function makeTools(config: Config, env: Env): Promise<{ registry: ToolRegistry; dispose(): Promise<void> }> {
  const { createBuiltinTools } = await import("@smith/tools");
  const { tool } = config.services;
  const made = createBuiltinTools({
    confine: tool.confine,
    bash_timeout_s: tool.bash.timeout_s,
    scrub_env: scrubbed(config),
    env: { ...env },
  });
  return { registry: createToolRegistry(made.tools), dispose: made.dispose };
}

const KEY_NAMES = ["LLM_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "LINKUP_API_KEY"];
const TOKEN_NAMES = ["SMITH_TELEGRAM_TOKEN", "SMITH_DISCORD_TOKEN", "SMITH_TWITCH_TOKEN", "SMITH_GATEWAY_TOKEN"];

/** Variables that hold keys of ours: children don't get them, save those the user passes on. */
const scrubbed = (config: Config): readonly string[] =>
  [...new Set([...KEY_NAMES, ...TOKEN_NAMES, config.llm_config.api_key_env])].filter(
    (name) => !config.services.tool.env_pass.includes(name),
  );

/** The conversation this runtime is in; its transcript is read once and then kept up. */
function createConversation(store: Store, newId: () => string) {
  let id: string | null = null;
  let history: TranscriptMessage[] = [];
  return {
    async enter(wanted: string | undefined): Promise<{ id: string; history: readonly TranscriptMessage[] }> {
      if (wanted !== undefined && wanted !== id) {
        const known = await store.conversation.get(wanted);
        if (known === null) throw unknownConversation(wanted);
        history = [...(await store.conversation.messages(wanted)).messages];
        id = wanted;
      }
      id ??= newId();
      return { id, history };
    },
    add(messages: readonly TranscriptMessage[]) {
      history.push(...messages);
    },
  };
}

const unknownConversation = (id: string, why = "`smith sessions list` shows what there is."): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "unknown_conversation",
    origin: "runtime/run",
    message: `No one conversation of this project is meant by ${id}. ${why}`,
  });

function matchConversation(wanted: string, known: readonly Conversation[]): string {
  const matches = known.filter((each) => each.id === wanted || each.id.startsWith(wanted));
  const exact = matches.find((each) => each.id === wanted) ?? (matches.length === 1 ? matches[0] : undefined);
  if (exact !== undefined) return exact.id;
  if (matches.length === 0) throw unknownConversation(wanted);
  throw unknownConversation(wanted, `It begins ${matches.length} ids: ${matches.map((each) => each.id).join(", ")}.`);
}

/** Ten characters of base 32: short to type, hard to guess twice. */
function newConversationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join("");
}

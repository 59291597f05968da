import type { Config, Mode } from "@smith/contract/config";
import type { CancelAccount } from "@smith/contract/dispatch";
import type { AgentEvent } from "@smith/contract/event";
import type { TurnResult } from "@smith/contract/turn";
import type { Listener } from "@smith/engine";
import { checkedModel, checkOptions, checkRun } from "./check-options.ts";
import { createEventFeed } from "./event-feed.ts";
import type { TurnInput } from "./input.ts";
import type { RuntimeOptions } from "./open.ts";
import { createDemand, type OutputSchema } from "./output.ts";
import type { RunOptions } from "./run-options.ts";
import { createRuntime, type Runtime } from "./runtime.ts";

/** What one run is, beside its input. */
export interface AgentRunOptions<T = unknown> extends Omit<RunOptions, "as" | "demand"> {
  /** Who answers, in this run alone: `direct`, `orchestrator`, or a role of yours that answers the user. */
  readonly role?: string;
  /** Who is asked, in this run alone. */
  readonly model?: string;
  /** In this run alone; it can only narrow the agent's. */
  readonly mode?: Mode;
  /**
   * The answer has to be a value that fits this. The model is told so, and told again, at most twice, when it does not; a
   * run that ends without one has `stop_reason` `error` and the error `schema`/`output_schema`. No asynchronous checks.
   */
  readonly output_schema?: OutputSchema<T>;
}

/** What a run came to. */
export interface AgentResult<T = unknown> extends TurnResult {
  /** The answer as `output_schema` made it of `text`; null without one, and when the run did not complete. */
  readonly output: T | null;
}

/** What happens while an agent runs; of its jobs, too. Deltas come in pieces as the provider sent them. */
export interface AgentEvents extends AsyncIterable<AgentEvent> {
  /** Returns the unsubscribe. Called at once for each event; what it throws, or rejects with, disturbs nobody. */
  subscribe(listener: Listener): () => void;
  /**
   * For `for await`: what happens from here on, until the agent is closed. A loop that falls 10,000 events behind loses the
   * oldest and is told how many.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<AgentEvent>;
}

/** One agent: a conversation, the tools of its role, and a model. Several live in one process and share nothing. */
export interface Agent {
  /**
   * One turn, in the agent's conversation unless the options say otherwise. What goes wrong inside it is in the result.
   * @throws {AgentError} when it may not begin: `policy`/`turn_active` while another one runs, or `closed`, `persistence`/
   * `unknown_conversation` or `conversation_busy`, `schema`/`no_model`, `config`, `bad_options`, `bad_history`,
   * `bad_output_schema` or `no_images`, `transport`/`auth` for a missing key.
   */
  run<T = unknown>(input: TurnInput, options?: AgentRunOptions<T>): Promise<AgentResult<T>>;
  /** Puts a line of the user's into the running turn before its next round. False when none runs. */
  steer(text: string): boolean;
  /** Cancels the running turn with all its jobs. Resolves when all of it has stopped; null when nothing ran. */
  cancel(reason?: string): Promise<CancelAccount | null>;
  readonly events: AgentEvents;
  /** The configuration as the next turn will see it: defaults filled in, frozen. @throws {AgentError} `schema`/`config`. */
  config(): Promise<Readonly<Config>>;
  /** Everything else: stored sessions, slash commands, usage. */
  readonly runtime: Runtime;
  /** Cancels what runs, ends the loops over `events`, closes tools and database. Safe to call twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * An agent that has touched nothing yet: files, database and models wait for its first turn. By default it reads no
 * configuration file and keeps nothing after it is closed. Close it, or declare it with `await using`.
 * @throws {AgentError} `schema`/`bad_options`, naming each option that does not fit.
 */
export function createAgent(options: RuntimeOptions = {}): Agent {
  checkOptions(options);
  const { chat_model } = options;
  const runtime = createRuntime(
    chat_model === undefined ? options : { ...options, chat_model: checkedModel(chat_model) },
  );
  const feed = createEventFeed(runtime.subscribe);
  const close = async () => {
    try {
      await runtime.close();
    } finally {
      feed.end();
    }
  };
  return Object.freeze<Agent>({
    async run<T>(input: TurnInput, options: AgentRunOptions<T> = {}) {
      checkRun(input, options);
      const { role, model, mode, output_schema, ...rest } = options;
      const demand = output_schema === undefined ? {} : { demand: createDemand(output_schema) };
      const as = { role: role ?? null, model: model ?? null, mode: mode ?? null };
      const result = await runtime.run(input, { ...rest, ...demand, as });
      return { ...result, output: (result.output ?? null) as T | null };
    },
    steer: runtime.steer,
    cancel: (reason = "cancelled") => runtime.cancel(reason),
    events: Object.freeze({ subscribe: runtime.subscribe, [Symbol.asyncIterator]: feed.open }),
    config: async () => (await runtime.start()).services.config.effective(),
    runtime,
    close,
    [Symbol.asyncDispose]: close,
  });
}

/**
 * The same, with everything opened and every plugin of `config.plugins` loaded before it resolves. A plugin that can't be
 * loaded costs its tools and hooks, not the agent, unless its entry is `required`: why is a notice of the first turn, and stands in
 * `(await agent.runtime.start()).host.plugins.list()`.
 * @throws {AgentError} `schema`/`config`, `persistence`, `policy`/`duplicate_tool` or `required_plugin`.
 */
export async function createAgentWithPlugins(options: RuntimeOptions = {}): Promise<Agent> {
  const agent = createAgent(options);
  try {
    const { services, host } = await agent.runtime.start();
    await host.plugins.ready();
    await host.plugins.list();
    await services.tool.registry();
    return agent;
  } catch (thrown) {
    await agent.close();
    throw thrown;
  }
}

/** One run of an agent that is made for it and closed after it. @throws as {@link Agent.run}. */
export async function runAgent<T = unknown>(
  options: RuntimeOptions,
  input: TurnInput,
  run: AgentRunOptions<T> = {},
): Promise<AgentResult<T>> {
  await using agent = createAgent(options);
  return await agent.run(input, run);
}

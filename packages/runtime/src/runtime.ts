import { createCancel } from "@smith/contract/cancel";
import type { CommandAnswer } from "@smith/contract/command";
import type { CancelAccount } from "@smith/contract/dispatch";
import type { Check } from "@smith/contract/doctor";
import { AgentError } from "@smith/contract/error";
import type { AgentEvent } from "@smith/contract/event";
import type { Conversation } from "@smith/contract/store";
import type { TurnResult } from "@smith/contract/turn";
import { createEventBus, type Listener } from "@smith/engine";
import { type Beside, type BesideOptions, createBeside } from "./beside.ts";
import { listOptions } from "./catalog.ts";
import { openSettings, readConfigFiles } from "./config/settings.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exclusive } from "./context-host.ts";
import { newConversationId } from "./conversation.ts";
import { findLocalServers } from "./discover.ts";
import type { Instruments } from "./doctor/doctor.ts";
import { endpointsOf, isUsable, leftOut, shownUrl } from "./endpoints.ts";
import { beginWith } from "./history.ts";
import type { TurnInput } from "./input.ts";
import type { ModelChoice } from "./models.ts";
import { createOneTurn } from "./one-turn.ts";
import { cwdOf, type Opened, openRuntime, type RuntimeOptions, type Started, sourcesOf } from "./open.ts";
import type { RunOptions } from "./run-options.ts";
import { createSession, type SessionState } from "./session.ts";
import { beginTurn, playBegunTurn } from "./turns.ts";
import { createUsage, type UsageTracker } from "./usage.ts";

/** What a line came to. */
export type Processed =
  | { readonly kind: "command"; readonly answer: CommandAnswer }
  | { readonly kind: "turn"; readonly result: TurnResult };

export interface Runtime {
  /**
   * Reads the configuration, opens the store and composes the services; once. Whatever needs them calls it.
   * @throws {AgentError} `schema`/`config`, `persistence`; `policy`/`closed` after {@link Runtime.close}.
   */
  start(): Promise<Started>;
  state(): SessionState;
  /** Whether something runs that {@link Runtime.cancel} would end: a turn, or a command that asks the model. */
  busy(): boolean;
  /** The context of the running turn; null when idle. */
  currentTurn(): ExecutionContext | null;
  /** The number that the next turn of the current conversation gets. */
  nextTurnId(): number;
  usage(): UsageTracker;
  subscribe(listener: Listener): () => void;
  events(): readonly AgentEvent[];
  drain(): readonly AgentEvent[];
  /** The model that answers now. @throws {AgentError} `schema`/`no_model`, `config`. */
  model(): Promise<ModelChoice>;
  /**
   * One turn. What goes wrong inside it is in the result.
   * @throws {AgentError} when it may not begin: `policy`/`turn_active` or `closed`, `persistence`/`conversation_busy` or
   * `unknown_conversation`, `schema`/`no_model`, `config` or `no_images`, `transport`/`auth` for a missing key.
   */
  run(input: TurnInput, options?: RunOptions): Promise<TurnResult>;
  /** A typed line: a slash command, or a turn. */
  processInput(line: string, options?: RunOptions): Promise<Processed>;
  /** Puts a line into the running turn before its next round. False when none runs. */
  steer(text: string): boolean;
  /**
   * Cancels the running turn, if any, with everything below it. Resolves when all of it has stopped, to the account of
   * what each node was doing and had changed; null when nothing ran, or it ended by itself first.
   */
  cancel(reason: string): Promise<CancelAccount | null>;
  /**
   * A session beside this one: the same services, a conversation of its own, and its turns run while others do. It is
   * closed with the runtime.
   */
  beside(options?: BesideOptions): Beside;
  conversations(): Promise<readonly Conversation[]>;
  /** Looks at everything a turn would need, also where it could not start. Never rejects. */
  diagnose(): Promise<readonly Check[]>;
  /** What an id, a unique beginning of one, or `latest` means in this project; null when `latest` finds none. */
  findConversation(wanted: string): Promise<string | null>;
  /**
   * Ends the session: the turn is cancelled, then tools, plugins and store are closed, in this order. Safe to call twice,
   * also at once and beside {@link Runtime.fail}: the first call says why, and each resolves when everything is closed.
   */
  close(reason?: string): Promise<void>;
  /** The same for a session that can't go on. */
  fail(error: AgentError): Promise<void>;
}

/** A runtime that has touched nothing yet: files, database and models wait for the first use. */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const now = options.now ?? Date.now;
  const bus = createEventBus(now);
  const session = createSession(now);
  const newId = options.newId ?? newConversationId;
  const session_id = newId();
  const usage = createUsage();
  const root = createCancel();
  let starting: Promise<Opened> | null = null;
  let ending: Promise<void> | null = null;
  const one = createOneTurn(root);
  const sides = new Set<Beside>();
  let turns = () => 0;
  let told = false;

  const exclusive: Exclusive = (work) => one.occupy(undefined, ({ cancel }) => work(cancel));
  const start = async (): Promise<Opened> => {
    const { status } = session.state();
    if (status === "stopped" || status === "failed") throw closedError(status);
    if (ending !== null && starting === null) throw closedError("stopped"); // nobody would close what is opened now
    starting ??= openRuntime(options, { now, bus, session_id, usage, exclusive, diagnose }).then((opened) => {
      session.start();
      turns = opened.services.conversation.turns;
      return opened;
    });
    return starting;
  };

  const diagnose = async (): Promise<readonly Check[]> => {
    const { examine } = await import("./doctor/doctor.ts");
    const cwd = cwdOf(options)();
    return examine({
      ...{ env: options.env ?? process.env, cwd, sources: sourcesOf(options, cwd), with: instruments() },
      async models() {
        const { world, services, notices } = await start();
        return { config: services.config.effective(), notices, choose: () => world.choose(world.role()) };
      },
      mcp: async () => (await start()).host.mcp.list(),
      plugins: async () => (await start()).host.plugins.list(),
      lookAtStore: async (file) => (await import("@smith/store")).lookAtStore(file),
    });
  };

  const run = (input: TurnInput, { signal, history, ...rest }: RunOptions = {}): Promise<TurnResult> =>
    one.occupy(signal, async (turn) => {
      const { world, notices } = await start();
      if (history !== undefined) await beginWith(history, rest.conversation_id, world);
      const interject = () => turn.lines.splice(0);
      const { cancel } = turn;
      const begun = await beginTurn({ input, cancel, ...rest, interject, notices: told ? [] : notices }, world);
      told = true;
      turn.context = begun.context;
      const result = await playBegunTurn(begun, world);
      turn.settle(result);
      return result;
    });

  const runText = async (text: string, runOptions?: RunOptions): Promise<TurnResult> =>
    run((await options.expand?.(text)) ?? text, runOptions);

  const end = async (move: () => void): Promise<void> => {
    root.request("the session ended");
    await one.cancel("the session ended");
    await Promise.all([...sides].map((side) => side.close()));
    const opened = await starting?.catch(() => null);
    move();
    opened?.stopAsking();
    if (opened === undefined || opened === null) return;
    const { services, world } = opened;
    await eachInTurn([
      () => services.model.close?.(),
      () => services.tool.dispose(),
      () => world.plugins.dispose(),
      () => services.persistence.close(),
    ]);
  };
  /** The first to end it says how; whoever comes later waits for the same. */
  const endOnce = (move: () => void): Promise<void> => {
    ending ??= end(move);
    return ending;
  };

  return Object.freeze({
    start,
    state: session.state,
    busy: () => one.active() !== null,
    currentTurn: () => one.active()?.context ?? null,
    nextTurnId: () => turns() + 1,
    usage: () => usage,
    subscribe: bus.subscribe,
    events: bus.events,
    drain: bus.drain,
    async model() {
      const { world } = await start();
      return world.choose(world.role());
    },
    run,
    async processInput(line: string, runOptions?: RunOptions): Promise<Processed> {
      const { readLine } = await import("@smith/commands");
      const read = readLine(line);
      if ("text" in read) {
        return { kind: "turn", result: await runText(read.text, runOptions) };
      }
      const { services } = await start();
      const answer = (await services.command.run(read.command, read.rest)) as CommandAnswer;
      if (answer.turn === undefined) return { kind: "command", answer };
      const { text, literal, ...as } = answer.turn;
      const turnOptions = { ...runOptions, as };
      if (literal !== true) return { kind: "turn", result: await runText(text, turnOptions) };
      const notices = answer.say === "" ? [] : [answer.say];
      return { kind: "turn", result: await run({ text, images: [], notices }, turnOptions) };
    },
    steer: one.steer,
    cancel: one.cancel,
    beside(sideOptions: BesideOptions = {}) {
      const side = createBeside({ start, root, now, newId, onClose: () => sides.delete(side) }, sideOptions);
      sides.add(side);
      return side;
    },
    diagnose,
    async conversations() {
      const { services, world } = await start();
      return services.conversation.list(world.projectId());
    },
    async findConversation(wanted: string) {
      const { services, world } = await start();
      return services.conversation.find(wanted, world.projectId());
    },
    close: (reason = "closed") => endOnce(() => session.stop(reason)),
    fail: (error: AgentError) => endOnce(() => session.fail(error)),
  });
}

const closedError = (status: "stopped" | "failed"): AgentError =>
  new AgentError({
    kind: "policy",
    code: "closed",
    origin: "runtime/start",
    message: `This runtime ${status === "stopped" ? "was closed" : "has failed"}; nothing runs in it any more. Make another one.`,
  });

const instruments = (): Instruments => ({
  ...{ readConfigFiles, openSettings, endpointsOf, isUsable, leftOut, shownUrl, listOptions, findLocalServers },
});

/** Each step, whatever became of those before it. @throws what the first that failed threw. */
async function eachInTurn(steps: readonly (() => unknown)[]): Promise<void> {
  const thrown: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      thrown.push(error);
    }
  }
  if (thrown.length > 0) throw thrown[0];
}

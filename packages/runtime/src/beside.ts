import type { Cancel } from "@smith/contract/cancel";
import type { CancelAccount } from "@smith/contract/dispatch";
import type { TurnResult } from "@smith/contract/turn";
import { createEventBus, type Listener } from "@smith/engine";
import { conversationService } from "./compose.ts";
import type { ConversationService } from "./conversation.ts";
import type { TurnInput } from "./input.ts";
import { createOneTurn } from "./one-turn.ts";
import type { Opened } from "./open.ts";
import { beginTurn, playBegunTurn } from "./turns.ts";
import type { TurnWorld } from "./world.ts";

export interface BesideOptions {
  /** The conversation to go on with; absent: a fresh one. */
  readonly conversation_id?: string;
  /** Messages of the past that a turn is sent, and that are kept in memory, at most; absent: all of them. */
  readonly max_messages?: number;
}

/** A session beside the runtime's own. */
export interface Beside {
  /**
   * Goes into its conversation; a turn does so by itself. Returns its id, and how many turns it has had.
   * @throws {AgentError} `persistence`/`unknown_conversation`, or `conversation_busy`.
   */
  enter(): Promise<{ readonly conversation_id: string; readonly turns: number }>;
  /** One turn, as {@link Runtime.run}; another one of this session is refused meanwhile. */
  run(input: TurnInput, options?: { readonly signal?: AbortSignal }): Promise<TurnResult>;
  busy(): boolean;
  steer(text: string): boolean;
  cancel(reason: string): Promise<CancelAccount | null>;
  /** The events of its turns; none are kept. */
  subscribe(listener: Listener): () => void;
  /** Cancels its turn, and lets go of what it keeps in memory. */
  close(): Promise<void>;
}

interface BesideParts {
  readonly root: Cancel;
  start(): Promise<Opened>;
  now(): number;
  newId(): string;
  onClose(): void;
}

/** Everything is shared with the runtime but the conversation, the events, and what its cancel ends. */
export function createBeside({ root, start, now, newId, onClose }: BesideParts, options: BesideOptions): Beside {
  const one = createOneTurn(root);
  const bus = createEventBus(now, 0);
  let made: Promise<{ world: TurnWorld; conversation: ConversationService }> | null = null;
  const open = () => {
    made ??= start().then(async ({ world }) => {
      const { persistence } = world.services;
      const { completeAbandoned } = world.services.conversation; // looks once for all of them
      const own = conversationService(
        persistence,
        { newId, cwd: world.cwd, roles: world.services.role },
        options.max_messages,
      );
      await own.enter(options.conversation_id);
      const conversation = Object.freeze({ ...own, completeAbandoned });
      const services = Object.freeze({ ...world.services, conversation });
      return { world: Object.freeze({ ...world, bus, services }), conversation };
    });
    made.catch(() => {
      made = null; // it may be free, or there, the next time
    });
    return made;
  };
  return Object.freeze({
    async enter() {
      const { conversation } = await open();
      return { conversation_id: (await conversation.enter()).id, turns: conversation.turns() };
    },
    run: (input: TurnInput, { signal }: { readonly signal?: AbortSignal } = {}) =>
      one.occupy(signal, async (turn) => {
        const { world } = await open();
        const interject = () => turn.lines.splice(0);
        const begun = await beginTurn({ input, cancel: turn.cancel, interject, notices: [] }, world);
        turn.context = begun.context;
        const result = await playBegunTurn(begun, world);
        turn.settle(result);
        return result;
      }),
    busy: () => one.active() !== null,
    steer: one.steer,
    cancel: one.cancel,
    subscribe: bus.subscribe,
    async close() {
      await one.cancel("the session ended");
      onClose();
      made = null;
    },
  });
}

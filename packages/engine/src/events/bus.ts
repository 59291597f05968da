import { AgentError } from "@smith/contract/error";
import type { AgentEvent, EventBody, EventSource } from "@smith/contract/event";

export type Listener = (event: AgentEvent) => unknown;

export interface EventBus {
  /** Returns the unsubscribe. A listener that throws or rejects disturbs nobody. */
  subscribe(listener: Listener): () => void;
  /** @throws {AgentError} `internal`/`bad_event` when the type is no non-empty string. */
  emit(turnId: string, body: EventBody, source?: EventSource): void;
  /** The last 10,000 events, unless fewer are kept. */
  events(): readonly AgentEvent[];
  /** The same, and forgets them. */
  drain(): readonly AgentEvent[];
}

/** What the bus itself puts on an event; no body has it. */
type EventStamp = Pick<AgentEvent, "ts" | "turn_id">;

const KEPT = 10_000;

/** @param keep how many events `events()` and `drain()` remember. */
export function createEventBus(now: () => number, keep = KEPT): EventBus {
  let listeners: readonly Listener[] = [];
  let kept: AgentEvent[] = [];

  return Object.freeze({
    subscribe(listener: Listener) {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((each) => each !== listener);
      };
    },
    emit(turnId: string, body: EventBody, source?: EventSource) {
      const type: string = body.type; // typed here, but plugins and API callers are JavaScript too
      if (typeof type !== "string" || type === "") {
        throw new AgentError({
          kind: "internal",
          code: "bad_event",
          origin: "engine/bus",
          message: "An event needs a type.",
        });
      }
      // Text comes in tens of thousands of events, and a spread that others follow costs five times one that ends it.
      const own: EventBody & EventStamp = Object.assign({ type, ts: now(), turn_id: turnId }, body);
      const event: AgentEvent = source === undefined ? own : { ...own, ...source };
      // `listeners` is replaced, never changed: whoever unsubscribes now still leaves this walk whole.
      for (const listener of listeners) tell(listener, event);
      kept.push(event);
      if (kept.length >= 2 * keep) kept = lastOf(kept, keep);
    },
    events: () => lastOf(kept, keep),
    drain() {
      const drained = lastOf(kept, keep);
      kept = [];
      return drained;
    },
  });
}

/** `slice(-0)` would be all of them. */
const lastOf = (events: readonly AgentEvent[], keep: number): AgentEvent[] =>
  events.slice(Math.max(0, events.length - keep));

function tell(listener: Listener, event: AgentEvent): void {
  try {
    const answer = listener(event);
    if (answer instanceof Promise) answer.catch(() => {}); // a listener's trouble is its own (E11)
  } catch {
    // a listener's trouble is its own (E11)
  }
}

import type { EventBody } from "@smith/contract/event";
import type { Message } from "@smith/contract/message";
import type { Usage } from "@smith/contract/model";
import { createWindow, type Edges, type KeyOf, type WindowSettings } from "./window.ts";

/** What a turn needs to fit its requests into the model's window. */
export interface FramingOptions {
  readonly settings: WindowSettings;
  /** Where the conversation's window stood after its last request. */
  readonly edges: Edges;
  /** The provider's cache of that request is gone: time passed, or another model or role asks. */
  readonly cold: boolean;
  readonly keyOf: KeyOf;
}

/** The window of one turn: its edges move with the requests and are kept for the next turn. */
export interface Framing {
  /** The model's view for the next request; tells of what was left out. */
  frame(transcript: readonly Message[]): readonly Message[];
  /** Calibrates the estimate by what the provider counted for the last view. */
  learn(usage: Usage): void;
  /** The provider refused the last view as too long: the next one is smaller. False when it was tried already. */
  tighten(): boolean;
  edges(): Edges;
}

/** Of the last estimate, what a provider that refused it is asked with next. */
const TIGHTER = 0.7;

export function createFraming(options: FramingOptions, emit: (body: EventBody) => void): Framing {
  const window = createWindow(options.settings, options.keyOf);
  let edges = options.edges;
  let cold = options.cold;
  let estimated = 0;
  let most = Number.POSITIVE_INFINITY;
  return Object.freeze({
    frame(transcript: readonly Message[]) {
      const fitted = window.fit(transcript, edges, cold, most);
      const { elided, dropped } = fitted.moved ?? { elided: 0, dropped: 0 };
      edges = fitted.edges;
      cold = false;
      estimated = fitted.estimate + options.settings.overhead;
      if (elided > 0) emit({ type: "context_trimmed", elided, dropped: 0, edge: edges.elided });
      if (dropped > 0) emit({ type: "context_trimmed", elided: 0, dropped, edge: edges.dropped });
      return fitted.messages;
    },
    learn({ input_tokens }: Usage) {
      if (input_tokens === null || estimated === 0) return;
      edges = { ...edges, ratio: Math.min(2, Math.max(0.5, input_tokens / estimated)) };
    },
    tighten() {
      if (!options.settings.enabled || most !== Number.POSITIVE_INFINITY) return false;
      most = estimated * edges.ratio * TIGHTER;
      return true;
    },
    edges: () => edges,
  });
}

import { AgentError, toAgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { Message } from "@smith/contract/message";
import type { Usage } from "@smith/contract/model";
import { type CompactSettings, compactEnd, type Summarise } from "./compact.ts";
import type { Edges } from "./edges.ts";
import type { Keys } from "./left-out.ts";
import { createWindow, type Fitted, type WindowSettings } from "./window.ts";

/** What a turn needs to fit its requests into the model's window. */
export interface FramingOptions {
  readonly settings: WindowSettings;
  readonly compact: CompactSettings;
  /** Where the conversation's window stood after its last request. */
  readonly edges: Edges;
  /** The provider's cache of that request is gone: time passed, or another model or role asks. */
  readonly cold: boolean;
  readonly keys: Keys;
}

/** A request's messages. */
export interface Framed {
  readonly messages: readonly Message[];
  /** The position behind the last one that is elided or left out: up to there the prefix stands longest. 0: none is. */
  readonly edge: number;
}

/** The window of one turn: its edges move with the requests and are kept for the next turn. */
export interface Framing {
  /**
   * The model's view for the next request; tells of what was left out.
   * @throws {AgentError} `cancelled` while it was summarising. What else goes wrong with a summary is told.
   */
  frame(transcript: readonly Message[]): Promise<Framed>;
  /**
   * Summarises all but the newest messages now; the next request begins a prefix of its own anyway, so the edge of the
   * elided moves, too.
   * @throws {AgentError} when there is too little to summarise, or the model gave no summary.
   */
  compact(transcript: readonly Message[], focus: string | null): Promise<Compacted>;
  /** Calibrates the estimate by what the provider counted for the last view. */
  learn(usage: Usage): void;
  /** The provider refused the last view as too long: the next one is smaller. False when it was tried already. */
  tighten(): boolean;
  edges(): Edges;
}

/** Tokens of a request as estimated, before and after. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
  readonly summary_chars: number;
}

/** Of the last estimate, what a provider that refused it is asked with next. */
const TIGHTER = 0.7;
/** Rounds without another try after a summary that failed or did not help. */
const BACK_OFF = 3;

export function createFraming(
  { settings, compact, keys, ...options }: FramingOptions,
  ports: { emit(body: EventBody): void; readonly summarise: Summarise },
): Framing {
  const { emit } = ports;
  const window = createWindow(settings, keys);
  let { edges, cold } = options;
  let estimated = 0;
  let most = Number.POSITIVE_INFINITY;
  let pause = 0;

  const tokens = (fitted: Fitted): number => Math.round((fitted.estimate + settings.overhead) * fitted.edges.ratio);

  /** The edges with all before `end` summarised. */
  const summarise = async (transcript: readonly Message[], end: number, from: Edges, focus: string | null) => {
    const before = window.fit(transcript, from, false);
    emit({ type: "compact_started", estimated_tokens: tokens(before) });
    let chars = 0;
    try {
      const messages = transcript.slice(from.summary?.upto ?? 0, end).filter(({ role }) => role !== "system");
      const text = await ports.summarise({ messages, before: from.summary?.text ?? null, focus });
      const compacted = { ...from, dropped: end, summary: { text, upto: end } };
      const after = window.fit(transcript, compacted, true);
      if (after.estimate >= before.estimate) throw tooLong(text.length);
      chars = text.length;
      return { before, after };
    } finally {
      emit({ type: "compact_completed", summary_chars: chars });
    }
  };

  /** What would be dropped is summarised instead, where that can be done. */
  const instead = async (transcript: readonly Message[], fitted: Fitted): Promise<Fitted> => {
    if (fitted.edges.dropped <= edges.dropped || !compact.enabled) return fitted;
    const end = compactEnd(transcript, edges.dropped, compact);
    if (end === null || pause-- > 0) return fitted;
    pause = 0;
    try {
      const elided = { ...edges, elided: fitted.edges.elided };
      const { after } = await summarise(transcript, end, elided, null);
      const refitted = window.fit(transcript, after.edges, false, most);
      if (refitted.edges.dropped > end) pause = BACK_OFF;
      return refitted;
    } catch (thrown) {
      const error = toAgentError(thrown, "engine/framing");
      if (error.kind === "cancelled") throw error;
      pause = BACK_OFF;
      emit({ type: "notice", level: "warn", text: failedText(error) });
      return fitted;
    }
  };

  return Object.freeze({
    async frame(transcript: readonly Message[]) {
      const before = edges;
      const fitted = await instead(transcript, window.fit(transcript, edges, cold, most));
      edges = fitted.edges;
      cold = false;
      estimated = fitted.estimate + settings.overhead;
      const { elided, dropped } = window.moved(transcript, before, edges);
      if (elided > 0) emit({ type: "context_trimmed", elided, dropped: 0, edge: edges.elided });
      if (dropped > 0) emit({ type: "context_trimmed", elided: 0, dropped, edge: edges.dropped });
      return { messages: fitted.messages, edge: fitted.edge };
    },
    async compact(transcript: readonly Message[], focus: string | null) {
      const end = compactEnd(transcript, edges.dropped, compact);
      if (end === null) throw tooLittle(compact.keep_messages);
      const { before, after } = await summarise(transcript, end, edges, focus);
      edges = after.edges;
      return { before: tokens(before), after: tokens(after), summary_chars: edges.summary?.text.length ?? 0 };
    },
    learn({ input_tokens }: Usage) {
      if (input_tokens === null || estimated === 0) return;
      edges = { ...edges, ratio: Math.min(2, Math.max(0.5, input_tokens / estimated)) };
    },
    tighten() {
      if (!settings.enabled || most !== Number.POSITIVE_INFINITY) return false;
      most = estimated * edges.ratio * TIGHTER;
      return true;
    },
    edges: () => edges,
  });
}

const failedText = (error: AgentError): string =>
  `The older part of the session could not be summarised (${error.message}); its oldest rounds are left out instead, and come back by their keys.`;

const tooLong = (chars: number): AgentError =>
  new AgentError({
    kind: "protocol",
    code: "summary_too_long",
    origin: "engine/framing",
    message: `the summary of ${chars} characters is no shorter than what it stands for`,
  });

const tooLittle = (keep: number): AgentError =>
  new AgentError({
    kind: "policy",
    code: "nothing_to_compact",
    origin: "engine/framing",
    message: `There is nothing to summarise: the newest ${keep} messages stay as they are (context_management.compact.keep_messages), and before them stands no whole round that is not summarised yet.`,
  });

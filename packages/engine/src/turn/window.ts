import type { Message, ToolMessage, UserMessage } from "@smith/contract/message";
import { createSizes } from "./size.ts";

export interface WindowSettings {
  readonly enabled: boolean;
  /** Newest tool rounds that stay as they are. */
  readonly keep_rounds: number;
  /** Outputs up to this many characters are never elided. */
  readonly elide_over_chars: number;
  /** The edge moves when what lies beyond it is this many times the tail; 0: every round. */
  readonly elide_step: number;
  readonly threshold_pct: number;
  /** Where dropping stops. */
  readonly drop_to_pct: number;
  /** Tokens of the model. */
  readonly context_window: number;
  /** Tokens of the tool specs, which go with each request. */
  readonly overhead: number;
}

/** Where a conversation's window stands; kept with the turn, so that a resumed one sends the same bytes. */
export interface Edges {
  /** Messages of the transcript before this one have their long outputs elided. */
  readonly elided: number;
  /** Rounds before this message are dropped. */
  readonly dropped: number;
  /** Last resort: of the user's lines before this message only the first is left. */
  readonly users: number;
  /** Reported input tokens over their estimate, 0.5 to 2. */
  readonly ratio: number;
}

export const NO_EDGES: Edges = Object.freeze({ elided: 0, dropped: 0, users: 0, ratio: 1 });

export interface Moved {
  /** Outputs newly elided, messages newly dropped. */
  readonly elided: number;
  readonly dropped: number;
}

export interface Fitted {
  readonly messages: readonly Message[];
  readonly edges: Edges;
  /** Null when the request only grew. */
  readonly moved: Moved | null;
  /** Tokens as counted, before calibration. */
  readonly estimate: number;
}

/** The call that brings a left-out message back, as `recall(key="…")`; null: none does. */
export type KeyOf = (index: number, message: Message) => string | null;

export interface Window {
  /**
   * The model's view of a transcript. Nothing is changed; what is left out has a key in its place.
   * @param cold the provider's cache of the prefix is gone anyway: an edge may move for nothing.
   * @param most tokens it must fit into, where the provider refused what the settings allow.
   */
  fit(transcript: readonly Message[], edges: Edges, cold: boolean, most?: number): Fitted;
}

/** @param keyOf names the key under which a left-out message of the transcript comes back; null: by none. */
export function createWindow(settings: WindowSettings, keyOf: KeyOf): Window {
  const sizeOf = createSizes();
  const short = new WeakMap<ToolMessage, ToolMessage>();
  const limit = (settings.context_window * settings.threshold_pct) / 100;
  const target =
    settings.elide_step === 0 ? limit : Math.min(limit, (settings.context_window * settings.drop_to_pct) / 100);

  const isElidable = (message: Message): message is ToolMessage =>
    message.role === "tool" && message.ok && message.content.length > settings.elide_over_chars;
  /** The same object each time: its serialised form is kept by identity. */
  const placeholder = (message: ToolMessage, index: number): ToolMessage => {
    const known = short.get(message) ?? {
      ...message,
      content: elidedText(message.content.length, keyOf(index, message)),
    };
    short.set(message, known);
    return known;
  };

  const viewOf = (transcript: readonly Message[], edges: Edges): readonly Message[] => {
    const first = transcript.findIndex((message) => message.role === "user");
    const view: Message[] = [];
    const gone: Gone[] = [];
    transcript.forEach((message, index) => {
      if (isGone(message, index, { edges, first })) gone.push({ message, index });
      else view.push(index < edges.elided && isElidable(message) ? placeholder(message, index) : message);
    });
    if (gone.length > 0)
      view.splice(view.findIndex((message) => message.role === "user") + 1, 0, droppedMessage(gone, keyOf));
    return view;
  };
  const estimate = (view: readonly Message[]): number => view.reduce((sum, message) => sum + sizeOf(message).tokens, 0);

  /** Where the verbatim tail begins. */
  const tailStart = (transcript: readonly Message[]): number => {
    let rounds = 0;
    for (let index = transcript.length - 1; index >= 0; index--) {
      const message = transcript[index];
      if (message?.role === "assistant" && (message.tool_calls?.length ?? 0) > 0 && ++rounds === settings.keep_rounds)
        return index;
    }
    return settings.keep_rounds === 0 ? transcript.length : 0;
  };
  const chars = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + sizeOf(message).chars, 0);
  const elidableChars = (messages: readonly Message[]): number => chars(messages.filter(isElidable));

  const elide = (transcript: readonly Message[], edges: Edges, forced: boolean): Edges => {
    const tail = tailStart(transcript);
    if (tail <= edges.elided) return edges;
    const waiting = elidableChars(transcript.slice(edges.elided, tail));
    const enough = waiting >= settings.elide_step * chars(transcript.slice(tail));
    return waiting > 0 && (forced || enough) ? { ...edges, elided: tail } : edges;
  };

  /** Whole rounds go, oldest first, until it fits; then the user's lines but the first and the last. */
  const drop = (transcript: readonly Message[], edges: Edges, most: number): Edges => {
    const fits = (tried: Edges) => estimate(viewOf(transcript, tried)) <= most;
    for (const end of roundEnds(transcript).filter((index) => index > edges.dropped)) {
      const tried = { ...edges, dropped: end };
      if (fits(tried)) return tried;
    }
    const last = transcript.findLastIndex((message) => message.role === "user");
    return { ...edges, dropped: roundEnds(transcript).at(-1) ?? edges.dropped, users: Math.max(edges.users, last) };
  };

  return Object.freeze({
    fit(transcript: readonly Message[], before: Edges, cold: boolean, most = Number.POSITIVE_INFINITY): Fitted {
      if (!settings.enabled) {
        return { messages: transcript, edges: before, moved: null, estimate: estimate(transcript) };
      }
      const over = (edges: Edges) =>
        (estimate(viewOf(transcript, edges)) + settings.overhead) * edges.ratio > Math.min(limit, most);
      let edges = elide(transcript, before, cold);
      if (over(edges)) edges = elide(transcript, edges, true);
      if (over(edges)) edges = drop(transcript, edges, Math.min(target, most) / edges.ratio - settings.overhead);
      const messages = viewOf(transcript, edges);
      return { messages, edges, moved: movedFrom(before, edges, transcript, isElidable), estimate: estimate(messages) };
    },
  });
}

function movedFrom(
  before: Edges,
  after: Edges,
  transcript: readonly Message[],
  isElidable: (message: Message) => boolean,
): Moved | null {
  if (before.elided === after.elided && before.dropped === after.dropped && before.users === after.users) return null;
  return {
    elided: transcript.slice(before.elided, after.elided).filter(isElidable).length,
    dropped: transcript.slice(before.dropped, after.dropped).filter((message) => message.role !== "user").length,
  };
}

const elidedText = (chars: number, key: string | null): string =>
  key === null
    ? `[elided ${chars} chars of tool output]`
    : `[elided ${chars} chars of tool output; retrieve with ${key}]`;

interface Gone {
  readonly message: Message;
  readonly index: number;
}

/** The system message and the user's first line always stay, the later lines until last resort. */
function isGone(message: Message, index: number, { edges, first }: { edges: Edges; first: number }): boolean {
  if (message.role === "system" || index === first) return false;
  return index < (message.role === "user" ? edges.users : edges.dropped);
}

/** Says what is missing and by which keys it comes back. The same text as long as the edge stands. */
function droppedMessage(gone: readonly Gone[], keyOf: KeyOf): UserMessage {
  const ends = [gone[0], gone.at(-1)].flatMap((each) => (each === undefined ? [] : [keyOf(each.index, each.message)]));
  const keys = [...new Set(ends.filter((key) => key !== null))];
  const back = keys.length === 0 ? "" : ` They come back one by one: ${keys.join(" … ")}.`;
  const content = `[${gone.length} earlier messages are left out here to fit the window.${back}]`;
  return { role: "user", content, turn_id: "t0", round: 0, ts: 0 };
}

/** Positions at which a round, or an answer without calls, has just ended: the cuts that part no call from its results. */
function roundEnds(transcript: readonly Message[]): readonly number[] {
  const ends: number[] = [];
  let open = 0;
  transcript.forEach((message, index) => {
    if (message.role === "assistant") open = message.tool_calls?.length ?? 0;
    else if (message.role === "tool") open--;
    if (open <= 0 && message.role !== "system" && message.role !== "user") ends.push(index + 1);
  });
  return ends;
}

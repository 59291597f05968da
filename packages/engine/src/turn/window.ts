import type { Message, ToolMessage } from "@smith/contract/message";
import { elidedText, type Gone, type Keys, leftOutMessage, type Summary } from "./left-out.ts";
import { roundEnds } from "./rounds.ts";
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
  /** Of what is dropped, or of the beginning of it. */
  readonly summary: Summary | null;
  /** Reported input tokens over their estimate, 0.5 to 2. */
  readonly ratio: number;
}

export const NO_EDGES: Edges = Object.freeze({ elided: 0, dropped: 0, users: 0, summary: null, ratio: 1 });

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
  /** The position in `messages` behind the last one that is elided or left out; 0: none is. */
  readonly edge: number;
}

/** How a message of the transcript stands in the requests. */
export type Standing = "sent" | "elided" | "summarised" | "left out";

export interface Window {
  /**
   * The model's view of a transcript. Nothing is changed; what is left out has a key in its place.
   * @param cold the provider's cache of the prefix is gone anyway: an edge may move for nothing.
   * @param most tokens it must fit into, where the provider refused what the settings allow.
   */
  fit(transcript: readonly Message[], edges: Edges, cold: boolean, most?: number): Fitted;
  /** What newly left the requests when the edges moved from here to there; a summarised message is not dropped. */
  moved(transcript: readonly Message[], before: Edges, after: Edges): Moved;
  /** How each message of a transcript stands, and its size in tokens as counted. */
  standings(
    transcript: readonly Message[],
    edges: Edges,
  ): readonly { standing: Standing; tokens: number; chars: number }[];
}

export function createWindow(settings: WindowSettings, keys: Keys): Window {
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
      content: elidedText(message.content.length, keys.output(index, message)),
    };
    short.set(message, known);
    return known;
  };

  let last: { readonly edges: Edges; readonly message: Message } | null = null;
  /** Written once for where the edges stand, so that it is measured and encoded once. */
  const leftOut = (gone: readonly Gone[], edges: Edges): Message => {
    const { dropped, users, summary } = last?.edges ?? NO_EDGES;
    const isSame = dropped === edges.dropped && users === edges.users && summary === edges.summary;
    if (last === null || !isSame) last = { edges, message: leftOutMessage(gone, edges.summary, keys) };
    return last.message;
  };
  const standingOf = (message: Message, index: number, { edges, first }: Place): Standing => {
    if (isGone(message, index, { edges, first })) return index < (edges.summary?.upto ?? 0) ? "summarised" : "left out";
    return index < edges.elided && isElidable(message) ? "elided" : "sent";
  };
  const viewOf = (transcript: readonly Message[], edges: Edges): readonly Message[] => {
    const first = firstUser(transcript);
    const view: Message[] = [];
    const gone: Gone[] = [];
    transcript.forEach((message, index) => {
      const standing = standingOf(message, index, { edges, first });
      if (standing === "summarised" || standing === "left out") gone.push({ message, index });
      else view.push(standing === "elided" && isElidable(message) ? placeholder(message, index) : message);
    });
    if (gone.length > 0) view.splice(firstUser(view) + 1, 0, leftOut(gone, edges));
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
    const ends = roundEnds(transcript).filter((index) => index > edges.dropped);
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (fits({ ...edges, dropped: ends[middle] ?? 0 })) high = middle;
      else low = middle + 1;
    }
    const dropped = ends[low];
    if (dropped !== undefined) return { ...edges, dropped };
    const last = transcript.findLastIndex((message) => message.role === "user");
    return { ...edges, dropped: ends.at(-1) ?? edges.dropped, users: Math.max(edges.users, last) };
  };

  return Object.freeze({
    fit(transcript: readonly Message[], before: Edges, cold: boolean, most = Number.POSITIVE_INFINITY): Fitted {
      if (!settings.enabled) {
        return { messages: transcript, edges: before, moved: null, estimate: estimate(transcript), edge: 0 };
      }
      const over = (edges: Edges) =>
        (estimate(viewOf(transcript, edges)) + settings.overhead) * edges.ratio > Math.min(limit, most);
      let edges = elide(transcript, before, cold);
      if (over(edges)) edges = elide(transcript, edges, true);
      if (over(edges)) edges = drop(transcript, edges, Math.min(target, most) / edges.ratio - settings.overhead);
      const messages = viewOf(transcript, edges);
      const verbatim = transcript.length - Math.max(edges.elided, edges.dropped);
      const edge = verbatim === transcript.length ? 0 : Math.max(0, messages.length - verbatim);
      const moved = isMoved(before, edges) ? movedFrom(before, edges, transcript, isElidable) : null;
      return { messages, edges, moved, estimate: estimate(messages), edge };
    },
    moved: (transcript: readonly Message[], before: Edges, after: Edges) =>
      movedFrom(before, after, transcript, isElidable),
    standings(transcript: readonly Message[], edges: Edges) {
      const first = firstUser(transcript);
      return transcript.map((message, index) => ({
        standing: settings.enabled ? standingOf(message, index, { edges, first }) : "sent",
        ...sizeOf(message),
      }));
    },
  });
}

function movedFrom(
  before: Edges,
  after: Edges,
  transcript: readonly Message[],
  isElidable: (message: Message) => boolean,
): Moved {
  const from = Math.max(before.dropped, after.summary?.upto ?? 0);
  return {
    elided: transcript.slice(before.elided, after.elided).filter(isElidable).length,
    dropped: transcript.slice(from, after.dropped).filter((message) => message.role !== "user").length,
  };
}

const isMoved = (before: Edges, after: Edges): boolean =>
  before.elided !== after.elided || before.dropped !== after.dropped || before.users !== after.users;

interface Place {
  readonly edges: Edges;
  /** The position of the user's first line. */
  readonly first: number;
}

const firstUser = (messages: readonly Message[]): number => messages.findIndex((message) => message.role === "user");

/** The system message and the user's first line always stay, the later lines until last resort. */
function isGone(message: Message, index: number, { edges, first }: Place): boolean {
  if (message.role === "system" || index === first) return false;
  return index < (message.role === "user" ? edges.users : edges.dropped);
}

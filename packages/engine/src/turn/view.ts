import type { Message, ToolMessage } from "@smith/contract/message";
import { type Edges, isMoved } from "./edges.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { elidedText, type Gone, type Keys, leftOutMessage } from "./left-out.ts";
import { createSizes, type Size } from "./size.ts";

/** How a message of the transcript stands in the requests. */
export type Standing = "sent" | "elided" | "summarised" | "left out";

/** What a transcript looks like for given edges. The same objects each time: their serialised form is kept by identity. */
export interface Views {
  /** What is known of the transcript that was followed last. */
  readonly ledger: Ledger;
  /** Comes before anything else that is asked of a transcript. Costs what is new since the last one. */
  follow(transcript: readonly Message[]): void;
  /** Tokens of the view, as counted. */
  tokens(transcript: readonly Message[], edges: Edges): number;
  view(transcript: readonly Message[], edges: Edges): readonly Message[];
  standings(transcript: readonly Message[], edges: Edges): readonly (Size & { readonly standing: Standing })[];
  isElidable(message: Message): message is ToolMessage;
}

export function createViews(elideOverChars: number, keys: Keys): Views {
  const sizeOf = createSizes();
  const short = new WeakMap<ToolMessage, ToolMessage>();

  const isElidable = (message: Message): message is ToolMessage =>
    message.role === "tool" && message.ok && message.content.length > elideOverChars;
  const placeholder = (message: ToolMessage, index: number): ToolMessage => {
    const known = short.get(message) ?? {
      ...message,
      content: elidedText(message.content.length, keys.output(index, message)),
    };
    short.set(message, known);
    return known;
  };
  const ledger = createLedger({
    ...{ sizeOf, isElidable },
    elidedTokens: (message, index) => sizeOf(isElidable(message) ? placeholder(message, index) : message).tokens,
  });

  /** Written once for where the edges stand, so that it is measured and encoded once. */
  let note: { readonly edges: Edges; readonly message: Message | null } | null = null;
  /** Stands where messages are missing; null where none is. */
  const noteOf = (transcript: readonly Message[], edges: Edges): Message | null => {
    if (note === null || isMoved(note.edges, edges)) {
      const gone = goneIn(transcript, edges);
      note = { edges, message: gone.length === 0 ? null : leftOutMessage(gone, edges.summary, keys) };
    }
    return note.message;
  };

  const goneIn = (transcript: readonly Message[], edges: Edges): readonly Gone[] => {
    const first = ledger.rounds.users[0] ?? -1;
    return transcript
      .slice(0, Math.max(edges.dropped, edges.users))
      .map((message, index) => ({ message, index }))
      .filter(({ message, index }) => isGone(message, index, { edges, first }));
  };

  const standingOf = (message: Message, index: number, edges: Edges): Standing => {
    if (isGone(message, index, { edges, first: ledger.rounds.users[0] ?? -1 }))
      return index < (edges.summary?.upto ?? 0) ? "summarised" : "left out";
    return index < edges.elided && isElidable(message) ? "elided" : "sent";
  };
  const shown = (message: Message, index: number, edges: Edges): readonly Message[] => {
    const standing = standingOf(message, index, edges);
    if (standing === "sent") return [message];
    return standing === "elided" && isElidable(message) ? [placeholder(message, index)] : [];
  };

  let drawn: { readonly edges: Edges; readonly messages: Message[]; upto: number } | null = null;
  const draw = (transcript: readonly Message[], edges: Edges): readonly Message[] => {
    if (drawn === null || isMoved(drawn.edges, edges) || drawn.upto > transcript.length) {
      const messages = transcript.flatMap((message, index) => shown(message, index, edges));
      const standsIn = noteOf(transcript, edges);
      if (standsIn !== null) messages.splice(messages.findIndex(({ role }) => role === "user") + 1, 0, standsIn);
      drawn = { edges, messages, upto: transcript.length };
    }
    for (let index = drawn.upto; index < transcript.length; index++) {
      const message = transcript[index];
      if (message !== undefined) drawn.messages.push(...shown(message, index, edges));
    }
    drawn.upto = transcript.length;
    return drawn.messages.slice(); // the caller's: this one goes on growing
  };

  return Object.freeze<Views>({
    ...{ ledger, isElidable, view: draw },
    follow(transcript) {
      if (ledger.follow(transcript)) return;
      note = null;
      drawn = null;
    },
    tokens(transcript, edges) {
      const { pinned, whole, elided } = ledger.sums;
      const sum = (sums: readonly number[], from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0);
      const { dropped, users } = edges;
      const from = Math.max(dropped, edges.elided);
      const afterFirst = (ledger.rounds.users[0] ?? -1) + 1;
      const usersGone = users > afterFirst ? sum(pinned, afterFirst, users) : 0;
      const note = noteOf(transcript, edges);
      const rest = sum(whole, from, transcript.length) + sum(elided, dropped, from);
      return sum(pinned, 0, transcript.length) - usersGone + rest + (note === null ? 0 : sizeOf(note).tokens);
    },
    standings: (transcript, edges) =>
      transcript.map((message, index) => ({ ...sizeOf(message), standing: standingOf(message, index, edges) })),
  });
}

interface Place {
  readonly edges: Edges;
  /** The position of the user's first line. */
  readonly first: number;
}

/** The system message and the user's first line always stay, the later lines until last resort. */
function isGone(message: Message, index: number, { edges, first }: Place): boolean {
  if (message.role === "system" || index === first) return false;
  return index < (message.role === "user" ? edges.users : edges.dropped);
}

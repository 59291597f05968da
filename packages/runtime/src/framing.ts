import type { Config } from "@smith/contract/config";
import type { Message } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import { type Edges, type FramingOptions, type Keys, NO_EDGES } from "@smith/engine";
import { z } from "zod";

/** The note of a conversation that says where its window stands. */
const NOTE = "window";
/** A provider keeps a prefix about this long after its last use, ms. */
const CACHE_MS = 5 * 60 * 1000;

const Stored = z.object({
  edges: z.object({
    elided: z.int(),
    dropped: z.int(),
    users: z.int(),
    summary: z.object({ text: z.string(), upto: z.int() }).nullable().default(null),
    ratio: z.number(),
  }),
  /** Of the transcript that the edges are positions in. */
  first_seq: z.int().nullable().default(1),
  model: z.string(),
  role: z.string(),
  at: z.number(),
});
type Stored = z.infer<typeof Stored>;

export interface FramingPlace {
  readonly conversation_id: string;
  /** Null: whichever was asked last. */
  readonly model: string | null;
  readonly role: string;
  readonly context_window: number;
  /** Whether the role can call recall. */
  readonly recalls: boolean;
  /** The sequence number of the first message that is sent; null when it is not sure. */
  readonly first_seq: number | null;
  /** How many messages stand before the new line, the system message counted. */
  readonly messages: number;
  readonly now: number;
}

/** Where a conversation's window stands, and how its requests are fitted. One that can't be read begins anew. */
export async function openFraming(
  config: Readonly<Config>,
  place: FramingPlace,
  notes: Store["note"],
): Promise<FramingOptions> {
  const stored = await readStored(place, notes);
  const { context_management: settings } = config;
  return {
    settings: {
      enabled: settings.enabled,
      keep_rounds: settings.tool_output_keep_rounds,
      elide_over_chars: settings.tool_output_elide_over_chars,
      elide_step: settings.elide_step,
      threshold_pct: settings.trim_threshold_pct,
      drop_to_pct: settings.drop_to_pct,
      context_window: place.context_window,
      overhead: 0,
    },
    compact: settings.compact,
    edges: stored?.edges ?? NO_EDGES,
    cold: stored === null || isAnother(stored, place) || place.now - stored.at > CACHE_MS,
    keys: keysOf(place),
  };
}

const isAnother = (stored: Stored, { model, role }: FramingPlace): boolean =>
  (model !== null && stored.model !== model) || stored.role !== role;

/** Null also for the window of another transcript: one from before it was emptied, or of the original of a shorter copy. */
async function readStored(
  { conversation_id, first_seq, messages }: FramingPlace,
  notes: Store["note"],
): Promise<Stored | null> {
  try {
    const text = await notes.get(conversation_id, NOTE);
    if (text === null) return null;
    const stored = Stored.parse(JSON.parse(text));
    return stored.first_seq === first_seq && reachOf(stored) <= messages ? stored : null;
  } catch {
    return null; // a lost edge costs a cold cache, not the turn
  }
}

/** Best effort: a resumed conversation then sends the same bytes as going on would have. */
export async function keepFraming(edges: Edges, place: FramingPlace, notes: Store["note"]): Promise<void> {
  const { conversation_id, model, role, first_seq } = place;
  const stored: Stored = { edges: { ...edges }, first_seq, model: model ?? "", role, at: place.now };
  await notes.put(conversation_id, NOTE, JSON.stringify(stored)).catch(() => {}); // as above
}

/** After an undo: the window stands where it stood if it saw nothing of what is gone, else it begins anew. */
export async function rebaseFraming(
  conversation_id: string,
  { messages, first_seq }: Pick<FramingPlace, "messages" | "first_seq">,
  notes: Store["note"],
): Promise<void> {
  const text = await notes.get(conversation_id, NOTE);
  if (text === null || text === "") return;
  const stored = parseStored(text);
  const kept = stored !== null && reachOf(stored) <= messages ? JSON.stringify({ ...stored, first_seq }) : "";
  await notes.put(conversation_id, NOTE, kept);
}

function parseStored(text: string): Stored | null {
  try {
    return Stored.parse(JSON.parse(text));
  } catch {
    return null; // it begins anew
  }
}

function reachOf({ edges: { elided, dropped, users, summary } }: Stored): number {
  return Math.max(elided, dropped, users, summary?.upto ?? 0);
}

/** Who can recall is told the key; a child reads its kept output by its receipt. The system message stands at 0. */
const keysOf = ({ conversation_id, recalls, first_seq }: FramingPlace): Keys => {
  const round = (message: Message): string | null => {
    if (!recalls) return receiptKey(message);
    return message.role === "system" ? null : recallKey(`round/${message.turn_id}/${message.round}`);
  };
  return Object.freeze<Keys>({
    round,
    output(index, message) {
      if (!recalls) return receiptKey(message);
      if (message.recall_key !== undefined) return recallKey(message.recall_key);
      return first_seq === null ? round(message) : recallKey(`message/${conversation_id}/${first_seq + index - 1}`);
    },
  });
};

const recallKey = (key: string): string => `recall(key="${key}")`;

function receiptKey(message: Message): string | null {
  const receipt = message.role === "tool" ? /\[receipt (r\d+)\]$/.exec(message.content)?.[1] : undefined;
  return receipt === undefined ? null : `read(path="output:${receipt}")`;
}

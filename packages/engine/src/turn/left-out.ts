import type { Message, ToolMessage, UserMessage } from "@smith/contract/message";

/** How what is left out of a request comes back, as `recall(key="…")`; null: by no call of this role. */
export interface Keys {
  /** To the byte. @param index the position in the transcript, the system message counted. */
  output(index: number, message: ToolMessage): string | null;
  /** With all that belongs to the same round. */
  round(message: Message): string | null;
}

/** What the model wrote of the messages before `upto`, in their place. */
export interface Summary {
  readonly text: string;
  readonly upto: number;
}

export interface Gone {
  readonly message: Message;
  readonly index: number;
}

export const elidedText = (chars: number, key: string | null): string =>
  key === null
    ? `[elided ${chars} chars of tool output]`
    : `[elided ${chars} chars of tool output; retrieve with ${key}]`;

/**
 * Stands where messages are missing: their summary, if there is one, how many they are, and by which keys they come back.
 * The same text as long as the edges stand.
 */
export function leftOutMessage(gone: readonly Gone[], summary: Summary | null, keys: Keys): UserMessage {
  const after = gone.filter(({ index }) => index >= (summary?.upto ?? 0));
  const content =
    summary === null
      ? `[${gone.length} earlier messages are left out here to fit the window.${wayBack(gone, keys)}]`
      : summarised(summary, { before: gone.length - after.length, after: after.length, back: wayBack(gone, keys) });
  return { role: "user", content, turn_id: "t0", round: 0, ts: 0 };
}

const summarised = (
  { text }: Summary,
  { before, after, back }: { readonly before: number; readonly after: number; readonly back: string },
): string =>
  [
    `[Summary of ${before} earlier messages, by the model; the user's own lines follow as they were.]`,
    text,
    `[End of the summary.${after === 0 ? "" : ` ${after} messages after them are left out, too.`}${back}]`,
  ].join("\n");

function wayBack(gone: readonly Gone[], keys: Keys): string {
  const all = gone.map(({ message }) => keys.round(message)).filter((key) => key !== null);
  const ends = [...new Set([all[0], all.at(-1)])].filter((key) => key !== undefined);
  return ends.length === 0 ? "" : ` They come back round by round: ${ends.join(" … ")}.`;
}

import type { TranscriptMessage } from "@smith/contract/message";

/**
 * The newest part of a history that has at most `max` messages. When it is over, it is cut to about half, so that what is
 * sent keeps its beginning over many turns. The cut is always before a line of the user's: no call is parted from its
 * result. A last turn that is longer by itself is left with its line and its answer.
 */
export function recentPart(history: readonly TranscriptMessage[], max: number): readonly TranscriptMessage[] {
  if (history.length <= max) return history;
  const starts = history.flatMap((_message, at) => (beginsTurn(history, at) ? [at] : []));
  const last = starts.at(-1) ?? history.length;
  const half = starts.find((at) => history.length - at <= Math.ceil(max / 2)) ?? last;
  const part = history.slice(half);
  return part.length <= max ? part : lineAndAnswer(part);
}

/** Lets go of what is not recent. The numbers stay sure only where what is kept is the end of what there was. */
export function keepRecent(place: { history: TranscriptMessage[]; first_seq: number | null }, max: number): void {
  const { history, first_seq } = place;
  const part = recentPart(history, max);
  if (part === history) return;
  const at = history.length - part.length;
  place.first_seq = first_seq === null || part[0] !== history[at] ? null : first_seq + at;
  place.history = [...part];
}

/** A steering line is the user's, too, and stands in the midst of a turn. */
const beginsTurn = (history: readonly TranscriptMessage[], at: number): boolean =>
  history[at]?.role === "user" && history[at]?.turn_id !== history[at - 1]?.turn_id;

function lineAndAnswer([line, ...rest]: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const answer = rest.findLast((each) => each.role === "assistant" && (each.tool_calls ?? []).length === 0);
  return [line, answer].filter((each) => each !== undefined);
}

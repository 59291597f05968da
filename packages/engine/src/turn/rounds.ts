import type { Message } from "@smith/contract/message";

/** Positions in a transcript, kept up as it grows. */
export interface Rounds {
  /** Where a round, or an answer without calls, has just ended: the cuts that part no call from its results. */
  readonly ends: readonly number[];
  /** The answers with calls, where rounds begin. */
  readonly begins: readonly number[];
  /** The user's messages. */
  readonly users: readonly number[];
  take(message: Message, index: number): void;
  reset(): void;
}

export function createRounds(): Rounds {
  const [ends, begins, users]: readonly [number[], number[], number[]] = [[], [], []];
  let open = 0;
  const count = (message: Message): number =>
    message.role === "assistant" ? (message.tool_calls?.length ?? 0) : open - (message.role === "tool" ? 1 : 0);
  return Object.freeze<Rounds>({
    ...{ ends, begins, users },
    take(message, index) {
      open = count(message);
      if (message.role === "user") users.push(index);
      if (message.role === "assistant" && open > 0) begins.push(index);
      if (open <= 0 && (message.role === "assistant" || message.role === "tool")) ends.push(index + 1);
    },
    reset() {
      for (const each of [ends, begins, users]) each.length = 0;
      open = 0;
    },
  });
}

/** Of a whole transcript, see {@link Rounds.ends}. */
export function roundEnds(transcript: readonly Message[]): readonly number[] {
  const rounds = createRounds();
  transcript.forEach(rounds.take);
  return rounds.ends;
}

import type { Message } from "@smith/contract/message";
import { createRounds, type Rounds } from "./rounds.ts";
import type { Size } from "./size.ts";

/** Sums over the beginning of a transcript: `sums[n]` counts the messages before position n. */
interface Sums {
  readonly chars: number[];
  /** Characters of the outputs that may be elided. */
  readonly elidable: number[];
  /** Tokens of system and user messages. */
  readonly pinned: number[];
  /** Tokens of all others, as they are, and with the elidable ones elided. */
  readonly whole: number[];
  readonly elided: number[];
}

/** What a window has to know of a transcript, kept up as it grows: a pass costs what is new. */
export interface Ledger {
  /** Takes in what was appended since; anew where it is another transcript. False then. */
  follow(transcript: readonly Message[]): boolean;
  readonly sums: Sums;
  readonly rounds: Pick<Rounds, "ends" | "begins" | "users">;
}

export interface LedgerParts {
  sizeOf(message: Message): Size;
  isElidable(message: Message): boolean;
  /** Tokens of what an output is when it is elided. */
  elidedTokens(message: Message, index: number): number;
}

export function createLedger(parts: LedgerParts): Ledger {
  const sums: Sums = { chars: [0], elidable: [0], pinned: [0], whole: [0], elided: [0] };
  const rounds = createRounds();
  let known = 0;
  let first: Message | undefined;
  let last: Message | undefined;

  const reset = () => {
    for (const each of Object.values(sums) as number[][]) each.length = 1;
    rounds.reset();
    known = 0;
  };
  const push = (to: number[], by: number) => void to.push((to.at(-1) ?? 0) + by);

  const take = (message: Message, index: number) => {
    const { chars, tokens } = parts.sizeOf(message);
    const isPinned = message.role === "system" || message.role === "user";
    const mayGo = parts.isElidable(message);
    push(sums.chars, chars);
    push(sums.elidable, mayGo ? chars : 0);
    push(sums.pinned, isPinned ? tokens : 0);
    push(sums.whole, isPinned ? 0 : tokens);
    push(sums.elided, isPinned ? 0 : mayGo ? parts.elidedTokens(message, index) : tokens);
    rounds.take(message, index);
  };

  return Object.freeze<Ledger>({
    ...{ sums, rounds },
    follow(transcript: readonly Message[]): boolean {
      // Messages never change and a transcript only grows, so that its ends tell whether it is the same.
      const goesOn = known > 0 && transcript[0] === first && transcript[known - 1] === last;
      if (!goesOn) reset();
      for (let index = known; index < transcript.length; index++) {
        const message = transcript[index];
        if (message !== undefined) take(message, index);
      }
      known = transcript.length;
      first = transcript[0];
      last = transcript[known - 1];
      return goesOn;
    },
  });
}

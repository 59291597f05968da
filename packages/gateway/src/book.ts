import { digestOf } from "./again.ts";
import type { Entry, Ledger, Place } from "./ledger.ts";
import type { Inbound } from "./platform.ts";

/** A chat's entry of the ledger, read once and written with each change. That it can't be written costs the memory of it. */
export interface Book {
  /** @throws {AgentError} `persistence` when it can't be read. */
  entry(): Promise<Entry>;
  /** Written before it is answered, so that a crash does not lose it. */
  taken(message: Inbound): Promise<void>;
  /** The turn that a message is about to become; true when its conversation is another than before. */
  begins(message: Inbound, place: Place): Promise<boolean>;
  /** @param reply where no turn holds the answer. */
  answered(message: Inbound, place: Place | null, reply: string): Promise<void>;
  /** It is neither waiting nor answered: the same one would be asked again. */
  forgets(message: Inbound): Promise<void>;
  /** The next message begins a new conversation. */
  startsAfresh(): Promise<void>;
}

/** @param keepsText whether what waits is kept with its text, to be answered after a restart. */
export function createBook(chat_id: string, ledger: Ledger, keepsText: boolean): Book {
  let read: Promise<Entry> | null = null;
  const entry = (): Promise<Entry> => {
    read ??= ledger.read(chat_id);
    read.catch(() => {
      read = null;
    });
    return read;
  };
  const keep = (known: Entry): Promise<void> => ledger.write(chat_id, known).catch(() => {});
  const without = (known: Entry, { message_id }: Inbound) => known.waiting.filter(({ id }) => id !== message_id);
  return Object.freeze({
    entry,
    async taken(message: Inbound) {
      const { message_id, user_id, text } = message;
      if (message_id === null) return;
      const known = await entry();
      if ([...known.waiting, ...known.answered].some(({ id }) => id === message_id)) return;
      const digest = digestOf(text);
      known.waiting.push({ id: message_id, user_id, text: keepsText ? text : "", digest, place: null });
      await keep(known);
    },
    async begins({ message_id }: Inbound, place: Place) {
      const known = await entry();
      const isFresh = known.conversation_id !== place.conversation_id;
      known.conversation_id = place.conversation_id;
      const waiting = known.waiting.find(({ id }) => id === message_id);
      if (waiting !== undefined) waiting.place = place;
      if (isFresh || waiting !== undefined) await keep(known);
      return isFresh;
    },
    async answered(message: Inbound, place: Place | null, reply: string) {
      if (message.message_id === null) return;
      const known = await entry();
      known.waiting = without(known, message);
      known.answered.push({ id: message.message_id, place, reply: place === null ? reply : null });
      await keep(known);
    },
    async forgets(message: Inbound) {
      const known = await entry().catch(() => null);
      if (known === null || message.message_id === null) return;
      known.waiting = without(known, message);
      await keep(known);
    },
    async startsAfresh() {
      const known = await entry();
      known.conversation_id = null;
      await keep(known);
    },
  });
}

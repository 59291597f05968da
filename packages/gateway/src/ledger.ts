import type { Platform } from "@smith/contract/platform";
import type { Store } from "@smith/contract/store";
import { z } from "zod";

const Place = z.object({ conversation_id: z.string(), turn_id: z.string() });
export type Place = z.infer<typeof Place>;

const Waiting = z.object({
  id: z.string(),
  user_id: z.string(),
  /** Empty where nobody could be given an answer after a restart. */
  text: z.string(),
  /** Of the text: whether a turn was this message's. */
  digest: z.string(),
  /** The turn it was about to become; null until then. */
  place: Place.nullable(),
});
export type Waiting = z.infer<typeof Waiting>;

const Answered = z.object({
  id: z.string(),
  /** The turn that holds the answer, or the answer itself where there was none. */
  place: Place.nullable(),
  reply: z.string().nullable(),
});
export type Answered = z.infer<typeof Answered>;

/** What is kept of a chat: where it goes on, what was taken in and not answered, and what was. */
const Entry = z.object({
  conversation_id: z.string().nullable(),
  waiting: z.array(Waiting),
  answered: z.array(Answered),
});
export type Entry = z.infer<typeof Entry>;

export interface Ledger {
  /** One that can't be read is a new chat's. */
  read(chat_id: string): Promise<Entry>;
  write(chat_id: string, entry: Entry): Promise<void>;
  /** Every chat there is an entry of. */
  chats(): Promise<readonly string[]>;
}

/** Where the entries stand among the notes; no conversation has this id. */
const OWNER = "gateway";
/** Answered messages that a chat remembers. */
const REMEMBERED = 100;

/** The entries of one platform, in one project: the same chat of another project is another conversation. */
export function createLedger(note: Store["note"], project_id: string, platform: Platform): Ledger {
  const prefix = `${project_id}:${platform}:`;
  const idOf = (chat_id: string) => prefix + encodeURIComponent(chat_id.toWellFormed());
  return Object.freeze({
    async read(chat_id: string) {
      const text = await note.get(OWNER, idOf(chat_id));
      return text === null ? emptyEntry() : parseEntry(text);
    },
    write(chat_id: string, entry: Entry) {
      entry.answered.splice(0, Math.max(0, entry.answered.length - REMEMBERED));
      return note.put(OWNER, idOf(chat_id), JSON.stringify(entry));
    },
    async chats() {
      return (await note.list(OWNER, prefix)).map(({ id }) => decodeURIComponent(id.slice(prefix.length)));
    },
  });
}

const emptyEntry = (): Entry => ({ conversation_id: null, waiting: [], answered: [] });

function parseEntry(text: string): Entry {
  try {
    return Entry.parse(JSON.parse(text));
  } catch {
    return emptyEntry(); // of a later version, or damaged: the chat begins anew
  }
}

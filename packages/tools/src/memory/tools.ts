import type { Store } from "@smith/contract/store";
import type { AnyTool } from "@smith/contract/tool";
import { type KeptOutputs, NO_OUTPUTS } from "../kept-output.ts";
import { createNote, type NoteWorld } from "./note.ts";
import { createRecall } from "./recall.ts";
import { createRecord } from "./record.ts";
import { createSearch } from "./search.ts";

const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";

const WORLD: NoteWorld = Object.freeze({
  now: Date.now,
  newId: () => Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => LETTERS[byte & 31]).join(""),
});

/** The tools over what is kept: record and recall by conversation, note and search by project. */
export const createMemoryTools = (
  store: Store,
  world: NoteWorld = WORLD,
  outputs: KeptOutputs = NO_OUTPUTS,
): readonly AnyTool[] =>
  Object.freeze([createRecord(store), createRecall(store, outputs), createNote(store, world), createSearch(store)]);

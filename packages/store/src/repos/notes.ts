import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";
import { noteKey, scopeOf } from "../keys.ts";

const KEYSPACE = "conversation_note";

export function notes({ kv, run, now }: Access): Store["note"] {
  return Object.freeze<Store["note"]>({
    get: (conversationId, noteId) => run(() => textOf(kv.get(KEYSPACE, noteKey(conversationId, noteId)) ?? "")),
    put: (conversationId, noteId, text) =>
      run(() => {
        const note = encode("note", { text, updated_at: now() });
        kv.write(() => kv.put(KEYSPACE, noteKey(conversationId, noteId), note));
      }),
    list: (conversationId, prefix) =>
      run(() => {
        const scope = scopeOf(conversationId);
        if (!prefix.isWellFormed()) return []; // no id begins with half a character
        return kv
          .scan(KEYSPACE, scope + prefix)
          .map(({ key, value }) => ({ id: key.slice(scope.length), chars: textOf(value)?.length ?? null }))
          .flatMap(({ id, chars }) => (chars === null ? [] : [{ id, chars }]))
          .sort((a, b) => (a.id < b.id ? -1 : 1)); // the database orders by code points
      }),
  });
}

/** A turn record is a note too: its text is the record's JSON. Null for a damaged value. */
const textOf = (value: string): string | null =>
  decode("note", value)?.text ?? (decode("turn_record", value) === null ? null : value);

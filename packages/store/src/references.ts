import { decode, decodeMessage } from "./codec.ts";
import { treeOf } from "./delete.ts";
import { OPEN_TURN, scopeOf } from "./keys.ts";
import type { Kv } from "./kv.ts";

/** The blobs that conversations with an open turn refer to, and their jobs': kept outputs, pre-images, pictures. */
export function referredTo(kv: Kv): ReadonlySet<string> {
  const open = kv.scan("meta", OPEN_TURN).map(({ key }) => key.slice(OPEN_TURN.length));
  return new Set(
    open.flatMap((id) => [...treeOf(kv, id)]).flatMap((id) => [...receiptBlobs(kv, id), ...pictures(kv, id)]),
  );
}

const receiptBlobs = (kv: Kv, id: string): readonly string[] =>
  kv
    .scan("receipt", scopeOf(id))
    .map(({ value }) => decode("receipt", value))
    .flatMap((receipt) => [receipt?.output_key, ...(receipt?.files ?? []).map((file) => file.hash_before)])
    .filter((hash) => typeof hash === "string");

const pictures = (kv: Kv, id: string): readonly string[] =>
  kv
    .scan("message", scopeOf(id))
    .map(({ value }) => decodeMessage(value)?.content ?? "")
    .flatMap((content) => (typeof content === "string" ? [] : content))
    .flatMap((part) => (part.type === "image" ? [part.blob] : []));

import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";
import { catalogKey } from "../keys.ts";

const KEYSPACE = "catalog";

export function catalogs({ kv, run }: Access): Store["catalog"] {
  return Object.freeze<Store["catalog"]>({
    get: (key) => run(() => decode("catalog", kv.get(KEYSPACE, catalogKey(key)) ?? "")),
    put: (key, page) => run(() => kv.write(() => kv.put(KEYSPACE, catalogKey(key), encode("catalog", page)))),
  });
}

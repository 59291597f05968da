import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";

const KEY = "runtime_overrides";

export function configPatches({ kv, run }: Access): Store["config"] {
  return Object.freeze<Store["config"]>({
    patch: () => run(() => decode("config", kv.get("config", KEY) ?? "") ?? {}),
    setPatch: (patch) => run(() => kv.write(() => kv.put("config", KEY, encode("config", { ...patch })))),
  });
}

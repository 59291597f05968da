import type { Store } from "@smith/contract/store";
import type { Access } from "../access.ts";
import { decode, encode } from "../codec.ts";

const KEY = "runtime_overrides";
const ONCE = "once:";

export function configPatches({ kv, run }: Access): Store["config"] {
  return Object.freeze<Store["config"]>({
    patch: () => run(() => decode("config", kv.get("config", KEY) ?? "") ?? {}),
    setPatch: (patch) => run(() => kv.write(() => kv.put("config", KEY, encode("config", { ...patch })))),
    once: (name) =>
      run(() =>
        kv.write(() => {
          const isFirst = kv.get("config", ONCE + name) === null;
          if (isFirst) kv.put("config", ONCE + name, encode("config", {}));
          return isFirst;
        }),
      ),
  });
}

import { createHash } from "node:crypto";
import type { Store } from "@smith/contract/store";

/** Bytes by their hash, copied on the way in and out. */
export const memoryBlobs = (blobs: Map<string, Uint8Array>): Store["blob"] =>
  Object.freeze<Store["blob"]>({
    async put(bytes) {
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
      blobs.set(hash, new Uint8Array(bytes));
      return hash;
    },
    async get(hash) {
      const bytes = blobs.get(hash);
      return bytes === undefined ? null : new Uint8Array(bytes);
    },
  });

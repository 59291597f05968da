import type { Store } from "@smith/contract/store";

/** Bytes of an output that are kept; of a longer one, head and tail. */
const KEPT_MAX_BYTES = 4 << 20;

/** Keeps the output of a call as a blob. Returns its key; null when the disk did not take it. Never throws. */
export async function keepOutput(output: string, store: Store): Promise<string | null> {
  try {
    return await store.blob.put(bounded(Buffer.from(output, "utf8")));
  } catch {
    return null; // the call's result is there all the same; reading it again will say that it is gone
  }
}

function bounded(bytes: Buffer): Buffer {
  const over = bytes.length - KEPT_MAX_BYTES;
  if (over <= 0) return bytes;
  const half = KEPT_MAX_BYTES / 2;
  const cut = Buffer.from(`\n[… ${over} bytes omitted …]\n`);
  return Buffer.concat([bytes.subarray(0, half), cut, bytes.subarray(bytes.length - half)]);
}

import type { Receipt } from "@smith/contract/receipt";
import type { Store } from "@smith/contract/store";
import type { ToolContext } from "@smith/contract/tool";
import type { KeptOutputs } from "@smith/tools";
import { readRegular } from "./hash.ts";

/** Bytes of an output that are kept; of a longer one, head and tail. */
const KEPT_MAX_BYTES = (4 << 20) + 1024; // the room is for what a tool says of a cut of its own

/** Keeps the output of a call as a blob. Returns its key; null when the disk did not take it. Never throws. */
export async function keepOutput(output: string, store: Store): Promise<string | null> {
  try {
    return await store.blob.put(bounded(Buffer.from(output, "utf8")));
  } catch {
    return null; // the call's result is there all the same; reading it again will say that it is gone
  }
}

/**
 * Hashes a file before a call overwrites it, and keeps its bytes under the hash: the receipt's `hash_before` names them.
 * Null when there is none. A file above 4 MiB, or one that the disk did not take, is hashed only.
 */
export async function keepFile(path: string, store: Store): Promise<string | null> {
  const read = await readRegular(path, KEPT_MAX_BYTES);
  if (read === null || read.bytes === null) return read?.hash ?? null;
  return await store.blob.put(read.bytes).catch(() => read.hash);
}

function bounded(bytes: Buffer): Buffer {
  const over = bytes.length - KEPT_MAX_BYTES;
  if (over <= 0) return bytes;
  const half = KEPT_MAX_BYTES / 2;
  const cut = Buffer.from(`\n[… ${over} bytes omitted …]\n`);
  return Buffer.concat([bytes.subarray(0, half), cut, bytes.subarray(bytes.length - half)]);
}

/** @param running the receipts of the turn that asks; null when it is not open here. */
export const createKeptOutputs = (
  store: Store,
  running: (context: ToolContext) => readonly Receipt[] | null,
): KeptOutputs =>
  Object.freeze<KeptOutputs>({
    async find({ turn_id, receipt_id }, context) {
      const own = turn_id === null || turn_id === context.turn_id ? running(context) : null;
      const receipts = own ?? (await store.receipt.list(context.conversation_id, turn_id ?? context.turn_id));
      const receipt = receipts.find((each) => each.receipt_id === receipt_id);
      if (receipt === undefined) return "unknown";
      const bytes = receipt.output_key === null ? null : await store.blob.get(receipt.output_key);
      return bytes === null ? "expired" : { text: Buffer.from(bytes).toString("utf8") };
    },
  });

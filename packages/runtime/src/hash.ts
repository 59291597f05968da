import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** SHA-256, first 16 hex digits: the hash of everything here. */
export const hash16 = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex").slice(0, 16);

/** Of a file's bytes; null when there is none that can be read: either way it has no hash to compare. */
export async function hashFile(path: string): Promise<string | null> {
  try {
    return hash16(await readFile(path));
  } catch {
    return null;
  }
}

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** SHA-256, first 16 hex digits: the hash of everything here. */
export const hash16 = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex").slice(0, 16);

/** Of a longer file only so many bytes are hashed, with its size and time: to tell changed from unchanged that is enough. */
const HASH_MAX_BYTES = 1 << 30;
const PIECE_BYTES = 1 << 18;

/** Of a file's bytes; null when there is none that can be read: either way it has no hash to compare. */
export async function hashFile(path: string): Promise<string | null> {
  const read = await readRegular(path, 0);
  return read === null ? null : read.hash;
}

/**
 * A regular file's hash, and its bytes where they are `keepMaxBytes` at most. Null when there is none that can be read: a pipe
 * or a device is none, and is not opened, since that could block one of the few threads of this process for ever.
 */
export async function readRegular(
  path: string,
  keepMaxBytes: number,
): Promise<{ readonly hash: string; readonly bytes: Buffer | null } | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return null;
    return await readPieces(file, keepMaxBytes);
  } catch {
    return null;
  }
}

/** In pieces of a fixed size: the file may be larger than the memory. */
async function readPieces(file: FileHandle, keepMaxBytes: number): Promise<{ hash: string; bytes: Buffer | null }> {
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, null);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    size += bytesRead;
    hash.update(piece);
    if (size <= keepMaxBytes) kept.push(Buffer.from(piece));
    else kept.length = 0;
    if (size < HASH_MAX_BYTES) continue;
    const stats = await file.stat();
    hash.update(` ${stats.size} ${stats.mtimeMs}`);
    break;
  }
  return { hash: hash.digest("hex").slice(0, 16), bytes: size <= keepMaxBytes ? Buffer.concat(kept, size) : null };
}

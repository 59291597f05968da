import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { oneAtATime, removeFile, replaceFile } from "./disk-file.ts";

/** What a file shall be. */
export interface Put {
  /** Null: it goes. */
  readonly bytes: Uint8Array | null;
  /** The facts of the file as it is; null where there is none. */
  readonly before: Stats | null;
  /** Whose owner and mode bits it takes where there is none. */
  readonly like: Stats | null;
  /** Runs last before the change; when it throws, nothing has changed. */
  verify(): Promise<void>;
}

/**
 * Makes a file what it shall be, whole or not at all, in turn with the calls that write it, and only in the folder that
 * the path names. Not for calls of a model: it asks nobody where it may write.
 * @param path absolute, symlinks resolved.
 */
export async function putFile(path: string, { bytes, before, like, verify }: Put): Promise<void> {
  const place = { real: path, absolute: path, shown: path, within: [dirname(path)] };
  const { signal } = new AbortController();
  await oneAtATime(path, () =>
    bytes === null ? removeFile(place, verify) : replaceFile(place, { bytes, before, like, signal, verify }),
  );
}

import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, chmod, chown, type FileHandle, open, opendir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import { editDistance } from "@smith/contract/edit-distance";
import type { ToolContext } from "@smith/contract/tool";
import type { Place } from "./confine.ts";
import { errnoOf, printable, refusal } from "./fault.ts";
import { holdFolder, isWhereItShould, notReplaceable } from "./held-folder.ts";
import { createHasher, SNIFF_BYTES } from "./text-file.ts";

/**
 * Opens a regular file for reading. What it is gets asked before it is opened, as opening a pipe or a device can block
 * for ever, and once more on the open file.
 */
export async function openRegular(place: Place): Promise<{ handle: FileHandle; stats: Stats }> {
  requireRegular(await stat(place.real), place);
  const handle = await open(place.real, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    requireRegular(stats, place);
    if (place.within !== null) await isWhereItShould(handle, place);
    return { handle, stats };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** The file's facts, or null where there is none; anything but a regular file is refused. */
export async function statRegular(place: Place): Promise<Stats | null> {
  try {
    const stats = await stat(place.real);
    requireRegular(stats, place);
    return stats;
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return null; // absence is an answer here
    throw thrown;
  }
}

function requireRegular(stats: Stats, place: Place): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) {
    throw refusal("is_directory", `${place.shown} is a directory. List its names with bash: ls -la.`);
  }
  throw refusal("not_regular", `${place.shown} is not a regular file (${sortOf(stats)}).`);
}

function sortOf(stats: Stats): string {
  if (stats.isFIFO()) return "named pipe";
  if (stats.isSocket()) return "socket";
  return "device";
}

/** What is known of a file without keeping it: its hash, and its first bytes. */
export interface Glimpse {
  readonly hash: string;
  readonly head: Buffer;
}

/** Reads the whole file piece by piece, until the signal aborts. */
export async function glimpse(place: Place, signal: AbortSignal): Promise<Glimpse> {
  const { handle } = await openRegular(place);
  await using _file = handle;
  const hasher = createHasher();
  const buffer = Buffer.allocUnsafe(1 << 18);
  let head: Buffer | null = null;
  for (;;) {
    checkCancelled(signal);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    const piece = buffer.subarray(0, bytesRead);
    head ??= Buffer.from(piece.subarray(0, SNIFF_BYTES));
    if (bytesRead === 0) return { hash: hasher.hex(), head };
    hasher.add(piece);
  }
}

export interface Replacement {
  readonly bytes: Uint8Array;
  /** The facts of the file that is replaced; null where there is none. */
  readonly before: Stats | null;
  /** Whose owner and mode bits a new file takes; absent: what the system gives it. */
  readonly like?: Stats | null;
  /** Nothing is put in place once it has aborted: whoever waited for the call has gone on. */
  readonly signal: AbortSignal;
  /** Runs last before the rename; when it throws, nothing has changed. */
  verify?(): Promise<void>;
}

/**
 * Puts the bytes in place whole or not at all: a temp file beside the old one, flushed, then renamed over it. The owner
 * and mode bits of the old one are kept.
 */
export async function replaceFile(place: Place, { bytes, before, like, signal, verify }: Replacement): Promise<void> {
  await using folder = await holdFolder(place);
  const path = folder.at(basename(place.real));
  if (before !== null) await access(path, constants.W_OK); // a rename would overrule a read-only file
  const temp = folder.at(`.smith-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFlushed(temp, bytes, before === null ? 0o666 : 0o600).catch((thrown: unknown) => {
      throw before === null ? thrown : notReplaceable(thrown, place);
    });
    const facts = before ?? like ?? null;
    if (facts !== null) await takeAfter(temp, facts);
    await verify?.();
    checkCancelled(signal);
    await rename(temp, path).catch((thrown: unknown) => {
      throw notReplaceable(thrown, place);
    });
  } catch (thrown) {
    await rm(temp, { force: true });
    throw thrown;
  }
}

/** Takes a file away. `verify` runs last; when it throws, the file stays. */
export async function removeFile(place: Place, verify: () => Promise<void>): Promise<void> {
  await using folder = await holdFolder(place);
  await verify();
  await rm(folder.at(basename(place.real)));
}

/** What the model is told where a file had other names: they keep the old content, since the file was replaced. */
export const otherNames = (before: Stats | null, place: Place): string =>
  before === null || before.nlink < 2
    ? ""
    : `\n[${place.shown} had ${before.nlink} names (hard links): ${before.nlink === 2 ? "the other keeps" : "the others keep"} the old content]`;

async function writeFlushed(temp: string, bytes: Uint8Array, mode: number): Promise<void> {
  await using file = await open(temp, "wx", mode);
  await file.writeFile(bytes);
  await file.sync();
}

async function takeAfter(temp: string, before: Stats): Promise<void> {
  const own = await stat(temp);
  let mode = before.mode & 0o7777;
  if (own.uid !== before.uid || own.gid !== before.gid) {
    await chown(temp, before.uid, before.gid).catch(() => {
      mode &= 0o1777; // only root may give files away; the content matters more, but set-id bits were for that owner
    });
  }
  await chmod(temp, mode); // after chown, which drops set-id bits
}

/** The last work in line for each path. State of the process on purpose: two sessions in it share the disk. */
const lines = new Map<string, Promise<void>>();

/** Runs `work` when all earlier work on the same path is done, however that ended. */
export async function oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = lines.get(path) ?? Promise.resolve();
  const result = before.then(work);
  const settled = result.then(
    () => {},
    () => {}, // the caller gets the failure; the next in line must not
  );
  lines.set(path, settled);
  try {
    return await result;
  } finally {
    if (lines.get(path) === settled) lines.delete(path);
  }
}

const NAMES_READ = 5000;
const NAMES_TOLD = 3;

/** The refusal of a path that isn't there: it names what is near. */
export async function notFound(path: string, place: Place, context: ToolContext): Promise<Error> {
  if (path.startsWith("~/")) {
    return refusal("not_found", `${printable(path)} does not exist: "~" is not expanded. Give an absolute path.`);
  }
  const elsewhere = context.project_root === null ? null : resolve(context.project_root, path);
  if (elsewhere !== null && elsewhere !== place.absolute && (await exists(elsewhere))) {
    return refusal(
      "not_found",
      `${printable(path)} does not exist in ${context.cwd}, where relative paths start. Did you mean ${printable(elsewhere)}?`,
    );
  }
  const near = await namesNear(place.real);
  if (near === null) {
    return refusal("not_found", `${place.shown} does not exist, nor does the directory it would be in.`);
  }
  const mend = near.length > 0 ? `Did you mean ${near.map(printable).join(" or ")}?` : "Look for it with bash: ls.";
  return refusal("not_found", `${place.shown} does not exist. ${mend}`);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Names in the same directory that resemble the missing one, best first; null without such a directory. */
async function namesNear(path: string): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(dirname(path))) if (names.push(entry.name) >= NAMES_READ) break;
  } catch {
    return null; // missing or not readable: there are no names to tell
  }
  const wanted = basename(path).toLowerCase();
  return names
    .map((name) => ({ name, far: farApart(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= Math.max(2, wanted.length / 3))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, NAMES_TOLD)
    .map(({ name }) => name);
}

/** Edits between two names; 1 when one only lacks its extension. */
const farApart = (a: string, b: string): number =>
  b.startsWith(`${a}.`) || a.startsWith(`${b}.`) ? 1 : editDistance(a, b);

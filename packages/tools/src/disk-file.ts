import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, chmod, chown, type FileHandle, open, opendir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { editDistance } from "@smith/contract/edit-distance";
import type { ToolContext } from "@smith/contract/tool";
import type { Place } from "./confine.ts";
import { errnoOf, printable, refusal } from "./fault.ts";
import { createHasher } from "./text-file.ts";

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

/** The hash of the whole file, read piece by piece. */
export async function hashFile(place: Place): Promise<string> {
  const { handle } = await openRegular(place);
  await using _file = handle;
  const hasher = createHasher();
  const buffer = Buffer.allocUnsafe(1 << 18);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return hasher.hex();
    hasher.add(buffer.subarray(0, bytesRead));
  }
}

/**
 * Puts the bytes at `path` whole or not at all: a temp file beside it, flushed, then renamed over it. The owner and mode
 * bits of `before` are kept. `verify` runs last before the rename; when it throws, nothing has changed.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  { before, verify }: { before: Stats | null; verify?: () => Promise<void> },
): Promise<void> {
  if (before !== null) await access(path, constants.W_OK); // a rename would overrule a read-only file
  const temp = join(dirname(path), `.smith-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFlushed(temp, bytes);
    if (before !== null) await takeAfter(temp, before);
    await verify?.();
    await rename(temp, path);
  } catch (thrown) {
    await rm(temp, { force: true });
    throw thrown;
  }
}

async function writeFlushed(temp: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(temp, "wx", 0o666);
  await file.writeFile(bytes);
  await file.sync();
}

async function takeAfter(temp: string, before: Stats): Promise<void> {
  const own = await stat(temp);
  if (own.uid !== before.uid || own.gid !== before.gid) {
    await chown(temp, before.uid, before.gid).catch(() => {}); // only root may give files away; the content matters more
  }
  await chmod(temp, before.mode & 0o7777); // after chown, which drops set-id bits
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

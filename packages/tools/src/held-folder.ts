import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Place, requireWithin } from "./confine.ts";
import { errnoOf, refusal } from "./fault.ts";

/** Only names the folder, needs no right to list it (Linux; Node has no name for it). */
const O_PATH = 0o10000000;
const FOLDER_ONLY = constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

/** A folder that is held open: whatever names above it are swapped meanwhile, what is done in it is done there. */
export interface HeldFolder extends AsyncDisposable {
  /** The path of a name in it. */
  at(name: string): string;
}

/**
 * Holds the folder that the place's file is in, and looks where it really is: between the check of a path and its use
 * somebody may put a symlink in the way. Where there is no /proc the path is taken as it was checked.
 * @throws {AgentError} `path_escape` when the folder is not where the place has to stay; a system error, as ENOENT.
 */
export async function holdFolder(place: Place): Promise<HeldFolder> {
  const path = dirname(place.real);
  return process.platform === "linux" ? await hold(path, place) : plain(path);
}

async function hold(path: string, place: Place): Promise<HeldFolder> {
  const handle = await open(path, FOLDER_ONLY);
  try {
    return (await isWhereItShould(handle, place)) ? held(handle) : await letGo(handle, path);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

const held = (handle: FileHandle): HeldFolder => ({
  at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
  [Symbol.asyncDispose]: () => handle.close(),
});

const plain = (path: string): HeldFolder => ({ at: (name) => join(path, name), [Symbol.asyncDispose]: async () => {} });

async function letGo(handle: FileHandle, path: string): Promise<HeldFolder> {
  await handle.close();
  return plain(path);
}

/**
 * Whether the system tells where an open file is; if so, that is checked.
 * @throws {AgentError} `path_escape`.
 */
export async function isWhereItShould(handle: FileHandle, place: Place): Promise<boolean> {
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (real === null) return false; // no /proc here
  requireWithin(real, place);
  return true;
}

/**
 * Makes the folder of the place's file and those above it that are missing, each inside the one before: a symlink that
 * appears on the way is not followed.
 */
export async function makeFolder(place: Place): Promise<void> {
  if (process.platform !== "linux" || place.within === null) {
    await mkdir(dirname(place.real), { recursive: true });
    return;
  }
  const missing: string[] = [];
  let path = dirname(place.real);
  let above = await holdIfThere(path, place);
  while (above === null) {
    missing.unshift(basename(path));
    path = dirname(path);
    above = await holdIfThere(path, place);
  }
  for (const name of missing) {
    await using parent = above;
    await mkdir(parent.at(name)).catch((thrown: unknown) => {
      if (errnoOf(thrown) !== "EEXIST") throw thrown; // somebody else was faster: it is what was wanted, if a folder
    });
    above = await hold(parent.at(name), place);
  }
  await above[Symbol.asyncDispose]();
}

async function holdIfThere(path: string, place: Place): Promise<HeldFolder | null> {
  try {
    return await hold(path, place);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" && dirname(path) !== path) return null; // made below
    throw thrown;
  }
}

/** Says what a system error of a rename or a new file in a folder means for the file that is to be replaced. */
export function notReplaceable(thrown: unknown, place: Place): unknown {
  const errno = errnoOf(thrown);
  if (errno === "EBUSY" || errno === "EXDEV") {
    return refusal(
      "not_replaceable",
      `${place.shown} is a mount point of its own and can't be replaced whole. Nothing was written; write into it with bash: cat > file.`,
    );
  }
  if (errno === "EACCES" || errno === "EPERM") {
    return refusal(
      "permission",
      `${place.shown} can't be replaced: its folder takes no new file (permission denied). Nothing was written; where the file itself may be written, use bash: cat > file.`,
    );
  }
  return thrown;
}

import { randomBytes } from "node:crypto";
import { chmod, lstat, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AgentError } from "@smith/contract/error";
import type { Store } from "@smith/contract/store";
import type { Undone } from "@smith/contract/undo";
import { hash16 } from "./hash.ts";

/** A file as turns left it (`from`) and as it was before them (`to`); null: there was none. */
export interface Rewind {
  readonly path: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A rewind that was checked: everything it needs is in memory. */
interface Ready extends Rewind {
  readonly after: Uint8Array | null;
  readonly before: Uint8Array | null;
  readonly mode: number;
}

export interface Checked {
  readonly ready: readonly Ready[];
  /** Stand already as they were. */
  readonly done: readonly Rewind[];
  readonly left: Undone["left"];
  /** Changed by somebody else since, and how. */
  readonly foreign: Undone["left"];
}

type Verdict =
  | { readonly sort: "ready"; readonly ready: Ready }
  | { readonly sort: "done"; readonly rewind: Rewind }
  | { readonly sort: "left" | "foreign"; readonly path: string; readonly why: string };

/** Looks at every file before the first is touched. */
export async function checkFiles(rewinds: readonly Rewind[], blob: Store["blob"]): Promise<Checked> {
  const verdicts: Verdict[] = [];
  for (const each of rewinds) verdicts.push(await judge(each, blob));
  const those = (sort: "left" | "foreign") =>
    verdicts.flatMap((each) => (each.sort === sort ? [{ path: each.path, why: each.why }] : []));
  return {
    ready: verdicts.flatMap((each) => (each.sort === "ready" ? [each.ready] : [])),
    done: verdicts.flatMap((each) => (each.sort === "done" ? [each.rewind] : [])),
    ...{ left: those("left"), foreign: those("foreign") },
  };
}

async function judge(rewind: Rewind, blob: Store["blob"]): Promise<Verdict> {
  const { path, from, to } = rewind;
  const now = await present(path);
  if ("why" in now) return { sort: "foreign", path, why: now.why };
  if (now.hash === to) return { sort: "done", rewind };
  if (now.hash !== from) {
    return { sort: "foreign", path, why: now.hash === null ? "it is gone" : "its content is another" };
  }
  const before = to === null ? null : await blob.get(to);
  if (to !== null && before === null) return { sort: "left", path, why: "what it held before is no longer kept" };
  return { sort: "ready", ready: { ...rewind, before, after: now.bytes, mode: now.mode } };
}

type Present =
  | { readonly hash: string | null; readonly bytes: Uint8Array | null; readonly mode: number }
  | { readonly why: string };

/** Receipts name real paths: a link in one was put there since. */
async function present(path: string): Promise<Present> {
  const none = { hash: null, bytes: null, mode: 0o666 & ~process.umask() };
  try {
    if ((await realpath(dirname(path))) !== dirname(path)) return { why: "its folder is reached through a link now" };
    const stats = await lstat(path);
    if (!stats.isFile()) return { why: "it is not a regular file any more" };
    const bytes = await readFile(path);
    return { hash: hash16(bytes), bytes, mode: stats.mode & 0o7777 };
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    return code === "ENOENT" ? none : { why: `it can't be read (${code})` };
  }
}

/**
 * Puts every file back, each whole or not at all. When one is refused, those before it are put forward again.
 * @throws {AgentError} `tool`/`undo_failed`.
 */
export async function rewindFiles(ready: readonly Ready[]): Promise<void> {
  const moved: Ready[] = [];
  for (const each of ready) {
    try {
      await put(each.path, { bytes: each.before, mode: each.mode, expected: each.from });
      moved.push(each);
    } catch (thrown) {
      const stuck: string[] = [];
      for (const { path, after, mode, to } of moved.toReversed()) {
        await put(path, { bytes: after, mode, expected: to }).catch(() => void stuck.push(path)); // named below
      }
      const rest =
        stuck.length === 0 ? "Nothing is undone." : `These stay as they were before the turn: ${stuck.join(", ")}.`;
      throw new AgentError({
        kind: "tool",
        code: "undo_failed",
        origin: "runtime/undo",
        data: { path: each.path, stuck },
        message: `${each.path} can't be put back: ${thrown instanceof Error ? thrown.message : String(thrown)}. ${rest}`,
      });
    }
  }
}

interface Put {
  /** Null: the file goes. */
  readonly bytes: Uint8Array | null;
  readonly mode: number;
  /** Hash of what must stand there until the very end. */
  readonly expected: string | null;
}

async function put(path: string, { bytes, mode, expected }: Put): Promise<void> {
  const verify = async () => {
    const now = await present(path);
    if ("why" in now || now.hash !== expected) throw new Error("it was changed just now");
  };
  if (bytes === null) {
    await verify();
    return await rm(path);
  }
  const temp = join(dirname(path), `.smith-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeFlushed(temp, bytes);
    await chmod(temp, mode);
    await verify();
    await rename(temp, path);
  } catch (thrown) {
    await rm(temp, { force: true });
    throw thrown;
  }
}

async function writeFlushed(temp: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(temp, "wx", 0o600);
  await file.writeFile(bytes);
  await file.sync();
}

/** Keeps what is about to be overwritten. @throws {AgentError} `persistence`, before anything was touched. */
export async function keepPresent(ready: readonly Ready[], blob: Store["blob"]): Promise<void> {
  for (const { after } of ready) if (after !== null) await blob.put(after);
}

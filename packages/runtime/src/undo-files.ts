import type { Stats } from "node:fs";
import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { AgentError } from "@smith/contract/error";
import type { Store } from "@smith/contract/store";
import type { Undone } from "@smith/contract/undo";
import type { Put } from "@smith/tools";
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
  /** Of the file as it is; null where there is none. */
  readonly stats: Stats | null;
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
  return { sort: "ready", ready: { ...rewind, before, after: now.bytes, stats: now.stats } };
}

type Present =
  | { readonly hash: string | null; readonly bytes: Uint8Array | null; readonly stats: Stats | null }
  | { readonly why: string };

/** Receipts name real paths: a link in one was put there since. */
async function present(path: string): Promise<Present> {
  const none = { hash: null, bytes: null, stats: null };
  try {
    if ((await realpath(dirname(path))) !== dirname(path)) return { why: "its folder is reached through a link now" };
    const stats = await lstat(path);
    if (!stats.isFile()) return { why: "it is not a regular file any more" };
    const bytes = await readFile(path);
    return { hash: hash16(bytes), bytes, stats };
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
  const { putFile } = await import("@smith/tools");
  const moved: Ready[] = [];
  for (const each of ready) {
    try {
      await putFile(each.path, backward(each));
      moved.push(each);
    } catch (thrown) {
      if (await isBack(each)) continue; // another process takes the same turn back
      const stuck: string[] = [];
      for (const one of moved.toReversed()) {
        await putFile(one.path, forward(one)).catch(() => void stuck.push(one.path)); // named below
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

const backward = ({ path, before, from, stats }: Ready): Put => ({
  ...{ bytes: before, before: stats, like: null },
  verify: () => requireHash(path, from),
});

const forward = ({ path, after, to, stats }: Ready): Put => ({
  ...{ bytes: after, before: to === null ? null : stats, like: stats },
  verify: () => requireHash(path, to),
});

async function isBack({ path, to }: Ready): Promise<boolean> {
  const now = await present(path);
  return !("why" in now) && now.hash === to;
}

async function requireHash(path: string, hash: string | null): Promise<void> {
  const now = await present(path);
  if ("why" in now || now.hash !== hash) throw new Error("it was changed just now");
}

/** Keeps what is about to be overwritten. @throws {AgentError} `persistence`, before anything was touched. */
export async function keepPresent(ready: readonly Ready[], blob: Store["blob"]): Promise<void> {
  for (const { after } of ready) if (after !== null) await blob.put(after);
}

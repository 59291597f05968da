import { realpathSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ChangedFile } from "@smith/contract/receipt";
import type { FileTouch } from "@smith/contract/tool";
import type { Changes, TreeWatch } from "@smith/engine";
import { differingFiles } from "./git-status.ts";

/** While a command ran, ms since the epoch by the machine's own clock: it is compared with the times of files. */
interface Span {
  readonly root: string;
  /** The turn it belongs to. */
  readonly owner: object;
  readonly from: number;
  /** Infinite while it runs. */
  to: number;
}

interface Written {
  readonly path: string;
  readonly hash: string | null;
  readonly at: number;
}

/** A command that has ended and was not looked at yet. */
interface Open {
  readonly span: Span;
  tell(changes: Changes): void;
}

/** The kernel stamps files with a clock that lags behind by a tick. */
const TICK_MS = 12;
/** One look serves all commands that end within this: a model that is quick with its next call does not wait for git. */
const LOOK_AFTER_MS = 25;
/** Where a look takes long, that many times as long lies between two: it would take the processor from the commands. */
const REST = 4;
/** Spans and writes that are remembered. */
const KEPT = 500;
/** Files that differ, beyond which nobody asks when each was changed. */
const ASKED_MAX = 20_000;

/**
 * Tells what commands changed: of the files that `git status` finds when a command has ended, those whose change time lies
 * within it and that none of our own writes accounts for.
 */
export function createTreeWatch(hashFile: (path: string) => Promise<string | null>): TreeWatch {
  const log = createLog(hashFile);
  const waiting: Open[] = [];
  const looking = new Map<Promise<void>, readonly Open[]>();
  let timer: NodeJS.Timeout | null = null;
  let lookMs = 0;
  const lookNow = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = waiting.splice(0);
    if (batch.length === 0) return;
    const began = performance.now();
    const look = lookAt(batch, log).finally(() => {
      lookMs = performance.now() - began;
      looking.delete(look);
    });
    looking.set(look, batch);
  };
  const end = (span: Span): Promise<Changes> => {
    span.to = Date.now();
    timer ??= setTimeout(lookNow, Math.max(LOOK_AFTER_MS, REST * lookMs));
    return new Promise((tell) => void waiting.push({ span, tell }));
  };
  return Object.freeze({
    begin(root: string | null, owner: object) {
      if (root === null) return { end: async (): Promise<Changes> => ({ changed: null, why: "outside git" }) };
      const span: Span = { root: realOr(root), owner, from: Date.now(), to: Number.POSITIVE_INFINITY };
      log.began(span);
      return { end: () => end(span) };
    },
    wrote: log.wrote,
    async settled(owner?: object) {
      const open = [...waiting, ...[...looking.values()].flat()];
      if (owner !== undefined && open.every(({ span }) => span.owner === owner)) return;
      lookNow();
      await Promise.all(looking.keys());
    },
  });
}

type WatchLog = ReturnType<typeof createLog>;

/** Who did what when, as far as it went through us. */
function createLog(hashFile: (path: string) => Promise<string | null>) {
  const spans: Span[] = [];
  const written: Written[] = [];
  return {
    began: (span: Span) => remember(spans, span),
    wrote(files: readonly FileTouch[]) {
      for (const { path, hash_after } of files) remember(written, { path, hash: hash_after, at: Date.now() });
    },
    /** A command of another turn's ran at that moment in the same tree. */
    isShared: (span: Span, at: number): boolean =>
      spans.some((other) => other.owner !== span.owner && other.root === span.root && covers(other, at)),
    /** A tool of ours wrote the file, as it is now, since the command began. */
    async isOurs(path: string, span: Span): Promise<boolean> {
      const own = written.findLast((each) => each.path === path && each.at >= span.from - TICK_MS);
      return own !== undefined && own.hash === (await hashFile(path));
    },
  };
}

async function lookAt(batch: readonly Open[], log: WatchLog): Promise<void> {
  const roots = [...new Set(batch.map(({ span }) => span.root))];
  await Promise.all(
    roots.map((root) =>
      lookAtTree(
        root,
        batch.filter(({ span }) => span.root === root),
        log,
      ),
    ),
  );
}

async function lookAtTree(root: string, batch: readonly Open[], log: WatchLog): Promise<void> {
  const { paths, why } = await differingFiles(root);
  const none = paths === null ? why : paths.length > ASKED_MAX ? `above ${ASKED_MAX} files differ` : null;
  if (paths === null || none !== null) {
    for (const { tell } of batch) tell({ changed: null, why: none ?? "" });
    return;
  }
  const times = await Promise.all(paths.map(async (path) => ({ path, at: await changedAt(path) })));
  for (const { span, tell } of batch) tell({ changed: await changedIn(span, times, log), why: null });
}

interface Changed {
  readonly path: string;
  readonly at: number;
}

async function changedIn(span: Span, times: readonly Changed[], log: WatchLog): Promise<readonly ChangedFile[]> {
  const within = times.filter(({ at }) => covers(span, at));
  const foreign = await Promise.all(within.map(async (each) => ((await log.isOurs(each.path, span)) ? [] : [each])));
  return foreign.flat().map(({ path, at }) => ({ path, shared: log.isShared(span, at) }));
}

const covers = ({ from, to }: Span, at: number): boolean => at >= from - TICK_MS && at <= to + 1;

function remember<T>(list: T[], entry: T): void {
  list.push(entry);
  if (list.length > KEPT) list.shift();
}

/** When the file was last changed in any way; for one that is gone, when its folder was. 0 = nobody knows. */
async function changedAt(path: string): Promise<number> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    try {
      return (await lstat(at)).ctimeMs;
    } catch {
      // gone: the folder it was in tells when
    }
  }
  return 0;
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // it has been deleted; git will say so
  }
}

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
  readonly from: number;
  /** Infinite while it runs. */
  to: number;
}

interface Written {
  readonly path: string;
  readonly hash: string | null;
  readonly at: number;
}

/** The kernel stamps files with a clock that lags behind by a tick. */
const TICK_MS = 12;
/** Spans and writes that are remembered. */
const KEPT = 500;
/** Files that differ, beyond which nobody asks when each was changed. */
const ASKED_MAX = 20_000;

/**
 * Tells what commands changed: of the files that `git status` finds when a command has ended, those whose change time lies
 * within it and that none of our own writes accounts for.
 */
export function createTreeWatch(hashFile: (path: string) => Promise<string | null>): TreeWatch {
  const spans: Span[] = [];
  const written: Written[] = [];
  const looking = new Set<Promise<Changes>>();
  const look = async (span: Span): Promise<Changes> => {
    const { paths, why } = await differingFiles(span.root);
    if (paths === null) return { changed: null, why };
    if (paths.length > ASKED_MAX) return { changed: null, why: `above ${ASKED_MAX} files differ from the last commit` };
    const times = await Promise.all(paths.map(async (path) => ({ path, at: await changedAt(path) })));
    const within = times.filter(({ at }) => covers(span, at));
    const foreign = await Promise.all(within.map(async (each) => ((await isOurs(each.path, span)) ? [] : [each])));
    const changed = foreign.flat().map(({ path, at }): ChangedFile => ({ path, shared: isShared(span, at) }));
    return { changed, why: null };
  };
  const isShared = (span: Span, at: number): boolean =>
    spans.some((other) => other !== span && other.root === span.root && covers(other, at));
  const isOurs = async (path: string, span: Span): Promise<boolean> => {
    const own = written.findLast((each) => each.path === path && each.at >= span.from - TICK_MS);
    return own !== undefined && own.hash === (await hashFile(path));
  };
  return Object.freeze({
    begin(root: string | null) {
      if (root === null) return { end: async (): Promise<Changes> => ({ changed: null, why: "outside git" }) };
      const span: Span = { root: realOr(root), from: Date.now(), to: Number.POSITIVE_INFINITY };
      remember(spans, span);
      return {
        end(): Promise<Changes> {
          span.to = Date.now();
          const looked = look(span).finally(() => looking.delete(looked));
          looking.add(looked);
          return looked;
        },
      };
    },
    wrote(files: readonly FileTouch[]) {
      for (const { path, hash_after } of files) remember(written, { path, hash: hash_after, at: Date.now() });
    },
    async settled() {
      await Promise.all(looking);
    },
  });
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

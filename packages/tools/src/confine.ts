import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AgentError } from "@smith/contract/error";
import type { ToolContext } from "@smith/contract/tool";
import { errnoOf, printable, refusal } from "./fault.ts";

export type Confine = "writes" | "all" | "off";

/** A path a tool was given, in the three forms it is needed in. */
export interface Place {
  /** Absolute, symlinks resolved as far as the path exists. */
  readonly real: string;
  /** Absolute, as given. */
  readonly absolute: string;
  /** For people and the model: relative to the project root when inside it, else absolute. */
  readonly shown: string;
  /** The folders, symlinks resolved, that the call has to stay inside; null = anywhere. */
  readonly within: readonly string[] | null;
}

type Where = Pick<ToolContext, "cwd" | "project_root">;

/** Where a path leads; with `confined`, only inside the project root (or cwd) and the OS's temp folder. */
export function locate(path: string, context: Where, confined: boolean): Place {
  const absolute = resolve(context.cwd, path);
  const real = realTarget(absolute);
  if (!path.isWellFormed() || !isNamed(real)) {
    throw refusal("bad_path", `${printable(path)} leads to a name that is no UTF-8. Reach it with bash.`);
  }
  const root = context.project_root ?? context.cwd;
  const within = confined ? [realTarget(root), realTarget(tmpdir())] : null;
  const place = { real, absolute, shown: printable(shownAs(absolute, real, root)), within };
  requireWithin(real, place, path);
  return place;
}

/** @throws {AgentError} `path_escape` when `real` is not where the place has to stay. */
export function requireWithin(real: string, { within, shown }: Pick<Place, "within" | "shown">, given = shown): void {
  if (within === null || within.some((root) => inside(root, real))) return;
  throw refusal(
    "path_escape",
    `${printable(given)} escapes ${within[0]}: it leads to ${printable(real)}. File tools stay inside the project and the temp folder; services.tool.confine = "off" lifts that.`,
    "policy",
  );
}

/** Node decodes names as UTF-8; the damaged form of one that is none would lead to another file. */
function isNamed(real: string): boolean {
  if (!real.includes("\ufffd")) return true;
  const parent = dirname(real);
  if (parent !== real && !isNamed(parent)) return false;
  return !basename(real).includes("\ufffd") || lstatSync(real, { throwIfNoEntry: false }) !== undefined;
}

function shownAs(absolute: string, real: string, root: string): string {
  if (inside(root, absolute)) return relative(root, absolute) || ".";
  const realRoot = realTarget(root);
  return inside(realRoot, real) ? relative(realRoot, real) || "." : absolute;
}

const inside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};

/**
 * The path with every symlink resolved, also where its end does not exist yet: a dangling link leads to where a write
 * through it would land. Synchronous, since the targets of a call are asked for synchronously.
 * @throws a system error, as ELOOP or EACCES.
 */
export function realTarget(absolute: string, links = 40): string {
  try {
    return realpathSync.native(absolute);
  } catch (thrown) {
    // Only what is missing is built from its parent; any other failure is the caller's.
    if (errnoOf(thrown) !== "ENOENT" || links === 0) throw thrown;
  }
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const realParent = realTarget(parent, links);
  const here = join(realParent, basename(absolute));
  const link = linkAt(here);
  return link === undefined ? here : realTarget(resolve(realParent, link), links - 1);
}

function linkAt(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
}

/**
 * The paths a call would change, for the executor, which hashes and keeps what is there: none where the call will be
 * refused. A path that can't be resolved is named as it stands.
 */
export function targetsOf(path: string, context: Where, confined: boolean): readonly string[] {
  try {
    return [locate(path, context, confined).real];
  } catch (thrown) {
    return thrown instanceof AgentError ? [] : [resolve(context.cwd, path)]; // the call itself will say what is wrong
  }
}

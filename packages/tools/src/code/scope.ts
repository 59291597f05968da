import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ToolContext } from "@smith/contract/tool";
import { type Confine, locate } from "../confine.ts";
import { notFound, statRegular } from "../disk-file.ts";
import { errnoOf, printable } from "../fault.ts";

/** What the code tools are made with. */
export interface CodeOptions {
  readonly confine: Confine;
  /** The environment of children, already scrubbed. */
  readonly env: NodeJS.ProcessEnv;
  /** Finds the ripgrep program; null = there is none. Default: the one in the package, else `rg` on the PATH. */
  readonly ripgrep?: () => Promise<string | null>;
  /** Seconds after which a search is stopped and what was found so far is told; default 25. */
  readonly search_s?: number;
}

/** Where a code tool looks. Paths found are relative to `dir`. */
export interface Scope {
  /** Absolute, symlinks resolved. */
  readonly dir: string;
  /** The only file of `dir` to look at, or null for everything below it. */
  readonly file: string | null;
  /** As the model is told of it: relative to the project root, or absolute. */
  readonly shown: string;
  /** A path of this scope as the model is told of it. */
  show(path: string): string;
  /** Folders above `dir` may hold ignore files that count: not where `dir` itself is where everything begins. */
  readonly has_parents: boolean;
}

/**
 * The folder or file a call names; the project root (or cwd) when it names none.
 * @throws {AgentError} `not_found` with near names, `not_regular`, `path_escape` under `confine: "all"`.
 */
export async function scopeOf(path: string | undefined, context: ToolContext, confine: Confine): Promise<Scope> {
  const root = context.project_root ?? context.cwd;
  const place = locate(path ?? root, context, confine === "all");
  const stats = await stat(place.real).catch(async (thrown: unknown) => {
    throw errnoOf(thrown) === "ENOENT" ? await notFound(path ?? root, place, context) : thrown;
  });
  const isDirectory = stats.isDirectory();
  if (!isDirectory) await statRegular(place); // opening a pipe could block for ever
  const prefix = place.shown === "." ? "" : `${place.shown.replace(/\/$/, "")}/`;
  return Object.freeze({
    dir: isDirectory ? place.real : dirname(place.real),
    file: isDirectory ? null : basename(place.real),
    shown: place.shown,
    show: (found: string) => (isDirectory ? prefix + printable(found) : place.shown),
    has_parents: context.project_root !== null || place.shown !== ".",
  });
}

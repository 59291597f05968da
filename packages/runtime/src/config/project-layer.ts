import { MODES, type Mode } from "@smith/contract/config";
import type { Notice } from "@smith/contract/turn";
import { leafOf, pathsIn, valueAt, without } from "./leaves.ts";
import type { Layer } from "./merge.ts";

/** What a project's file may say, and what was left out of it. */
export interface ProjectLayer {
  readonly layer: Layer;
  readonly notices: readonly Notice[];
}

/**
 * A project's file comes with a clone, so it may set nothing that runs code, sends secrets or widens what tools may do,
 * unless the user's own file trusts the repository.
 */
export function allowedOf(file: { path: string; layer: Layer }, user: { trusted: boolean; mode: Mode }): ProjectLayer {
  const mayAll = (path: string) => user.trusted && path !== "trusted_projects";
  const forbidden = pathsIn(file.layer).filter((path) => !mayAll(path) && leafOf(path)?.project !== true);
  const tooWide = !user.trusted && isWider(valueAt(file.layer, "mode"), user.mode) ? ["mode"] : [];
  const layer = [...forbidden, ...tooWide].reduce(without, file.layer);
  const notices = [
    ...forbidden.map((path) => `${file.path}: ${path} is ignored: a project file may not set it. ${mend(path)}`),
    ...tooWide.map(() => `${file.path}: mode is ignored: a project file may only narrow it (it is ${user.mode}).`),
  ];
  return { layer, notices: notices.map((text) => ({ level: "warn", text })) };
}

const mend = (path: string): string =>
  path === "trusted_projects"
    ? "Only your own file has trusted_projects."
    : "List the repository under trusted_projects in your own file to allow it.";

const isWider = (wanted: unknown, than: Mode): boolean => {
  const at = MODES.indexOf(wanted as Mode);
  return at >= 0 && at < MODES.indexOf(than);
};

import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";

/*
 * git in a repository that nobody vouches for. Its configuration and attributes can name programs (monitor, hooks, pager,
 * filters, textconv, external diff, signature checkers, transports); the settings here win over all of them.
 */

/** Before the subcommand: no pager, and the index is not refreshed on disk. */
export const GLOBAL_ARGS: readonly string[] = ["--no-pager", "--no-optional-locks"];

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", "false"],
  ["core.askPass", "false"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.quotePath", "false"], // names as they are
  ["protocol.allow", "never"], // a partial clone fetches nothing
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["diff.submodule", "short"],
  ["diff.orderFile", "/dev/null"],
  ["diff.wordRegex", "[^[:space:]]+"],
  ["log.diffMerges", "separate"], // to merge anew would run merge drivers and write objects
  ["log.showSignature", "false"],
  ["format.pretty", "medium"],
  ["gpg.program", "false"],
  ["gpg.openpgp.program", "false"],
  ["gpg.x509.program", "false"],
  ["gpg.ssh.program", "false"],
  ["color.ui", "false"],
  ["column.ui", "never"],
  ["i18n.logOutputEncoding", "UTF-8"],
];

/** A setting of the user's own, read before: `key` as git lists it. */
export type Setting = readonly [key: string, value: string];

/** What of the user's own configuration changes the answer without naming a program. */
export const KEPT_OF_USER: ReadonlySet<string> = new Set([
  ...["core.excludesfile", "core.autocrlf", "core.eol", "core.precomposeunicode", "safe.directory", "diff.algorithm"],
  ...["diff.renames", "diff.context", "diff.indentheuristic", "diff.colormoved", "log.date", "status.renames"],
]);

/** Settings that switch off the filters of these names: comparing a file would run them. */
const withoutFilters = (names: readonly string[]): readonly Setting[] =>
  names.flatMap((name) => [
    [`filter.${name}.clean`, ""] as const,
    [`filter.${name}.smudge`, ""] as const,
    [`filter.${name}.process`, ""] as const,
    [`filter.${name}.required`, "false"] as const,
  ]);

export interface Neutral {
  readonly env: NodeJS.ProcessEnv;
  /** Names of filters in the repository's configuration. */
  readonly filters: readonly string[];
  readonly user: readonly Setting[];
}

const PASSED = ["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "GIT_EXEC_PATH", "LD_LIBRARY_PATH"];

/** The environment of git without any word of the repository's, or of variables that git obeys. */
export function neutralEnvironment({ env, filters, user }: Neutral): NodeJS.ProcessEnv {
  // Settings by the environment win over files, and take any name.
  const settings = [...user, ...SETTINGS, ...withoutFilters(filters)];
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    ...passed(env),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
  };
}

/** The same with the user's own configuration in force: for reading that, never where a program could be named. */
export const userEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => passed(env);

const passed = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
  PATH: env["PATH"],
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_PAGER: "cat",
});

/** Folders of PATH that hold no file of the project: a `git` in the tree is not the user's git. */
export function pathOutside(path: string | undefined, project: string): string {
  const root = realOf(project);
  const isOutside = (folder: string): boolean => {
    const way = relative(root, realOf(folder));
    return way === ".." || way.startsWith("../") || isAbsolute(way);
  };
  return (path ?? "")
    .split(":")
    .filter((folder) => isAbsolute(folder) && isOutside(folder))
    .join(":");
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // missing: nothing is found in it
  }
}

import { stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { realTarget } from "../confine.ts";
import { answering, printable, refusal } from "../fault.ts";
import { failure } from "./explain.ts";
import { withPlainNames } from "./names.ts";
import {
  GLOBAL_ARGS,
  KEPT_OF_USER,
  neutralEnvironment,
  pathOutside,
  type Setting,
  userEnvironment,
} from "./neutral.ts";
import { type Asked, parseOptions, SUBCOMMANDS, type Subcommand } from "./options.ts";
import { type GitEnd, type GitRun, runGit } from "./run.ts";
import { STATUS_FORM, showStatus, withoutForm } from "./status.ts";

const GIT_CHARS = 20_000;
const LAST_LINES_CHARS = 300;
const GIT_S = 25;

const GitArguments = z.strictObject({
  subcommand: z.enum(SUBCOMMANDS),
  args: z.array(z.string()).default([]),
});
type GitArguments = z.infer<typeof GitArguments>;

export interface GitOptions {
  /** The environment of children, already scrubbed. */
  readonly env: NodeJS.ProcessEnv;
  /** Seconds after which git is stopped; default 25. */
  readonly git_s?: number;
}

/** `git`: looks into a repository. It can neither write nor start a program, whatever the repository says. */
export const createGit = (options: GitOptions): Tool<GitArguments> =>
  Object.freeze({
    name: "git",
    description: 'Read a git repository. args as on the command line, paths after "--"; only options that read.',
    schema: GitArguments,
    side_effects: "none",
    max_chars: GIT_CHARS,
    run: (args, context) => answering("git", () => git(args, context, options)),
    result_renderer: (_args, { error, metadata }) =>
      error === undefined ? `${metadata?.["lines"]} lines` : `error: ${error.message.split("\n")[0]}`,
  } satisfies Tool<GitArguments>);

async function git(
  { subcommand, args }: GitArguments,
  context: ToolContext,
  options: GitOptions,
): Promise<ToolOutcome> {
  const asked = parseOptions(subcommand, args);
  await requireFolder(context.cwd);
  const run = await prepare(context, options);
  const place = await placeOf(run);
  if (subcommand === "diff") requireInside([...asked.names, ...(asked.paths ?? [])], context.cwd, place.root);
  const ended = await runGit(
    { ...run, args: [...GLOBAL_ARGS, ...commandLine(subcommand, asked)] },
    { raw: subcommand === "status" },
  );
  if (ended.stopped === null && ended.exit_code !== 0 && !isCheck(ended, asked)) throw failure(ended);
  const text = subcommand === "status" ? showStatus(ended.stdout, place.git_dir) : withPlainNames(ended.stdout);
  return show(text.replace(/\n$/, ""), ended, subcommand);
}

/** `--check` tells what it found by its exit code. */
const isCheck = ({ exit_code }: GitEnd, { options }: Asked): boolean => exit_code === 2 && options.includes("--check");

async function requireFolder(cwd: string): Promise<void> {
  const stats = await stat(cwd).catch(() => null);
  if (stats?.isDirectory() !== true)
    throw refusal("cwd_gone", `The working directory ${printable(cwd)} is gone. Nothing was run.`);
}

type Prepared = Omit<GitRun, "args">;

/** The run without its arguments: settings of the user's that are kept, and filters that are switched off, are asked for first. */
async function prepare({ cwd, project_root, signal }: ToolContext, { env, git_s }: GitOptions): Promise<Prepared> {
  const late = AbortSignal.timeout((git_s ?? GIT_S) * 1000);
  const safe = { ...env, PATH: pathOutside(env["PATH"], project_root ?? cwd) };
  const base = { cwd, signal, late };
  const listing = { ...base, args: ["config", "-z", "--list", "--show-scope"], env: userEnvironment(safe) };
  const listed = await runGit(listing, { raw: true });
  requireEnded(listed); // filters that are not known can't be switched off
  return { ...base, env: neutralEnvironment({ env: safe, ...settingsIn(listed.stdout) }) };
}

function requireEnded(ended: GitEnd): void {
  if (ended.stopped !== null) throw refusal("timeout", "git did not answer in time. Nothing is known.");
  if (ended.exit_code !== 0) throw failure(ended);
}

/** `git config -z --list --show-scope`: scope, NUL, key, line end, value, NUL. */
function settingsIn(listed: string): { readonly filters: readonly string[]; readonly user: readonly Setting[] } {
  const filters = new Set<string>();
  const user: Setting[] = [];
  const parts = listed.split("\0");
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, entry = ""] = [parts[at], parts[at + 1]];
    const cut = entry.indexOf("\n");
    const key = cut === -1 ? entry : entry.slice(0, cut);
    const filter = /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1];
    if (filter !== undefined) filters.add(filter);
    const isUsers = scope === "system" || scope === "global";
    if (isUsers && KEPT_OF_USER.has(key)) user.push([key, cut === -1 ? "true" : entry.slice(cut + 1)]);
  }
  return { filters: [...filters], user };
}

interface Place {
  /** Root of the work tree, or the folder of a bare repository. */
  readonly root: string;
  readonly git_dir: string;
}

async function placeOf(run: Prepared): Promise<Place> {
  const ended = await runGit({ ...run, args: ["rev-parse", "--absolute-git-dir", "--show-toplevel"] });
  const [gitDir = "", top = ""] = ended.stdout.split("\n");
  if (gitDir === "") requireEnded(ended);
  return { root: top === "" ? gitDir : top, git_dir: gitDir }; // a bare repository has no work tree to tell
}

/** With two paths of which one is outside, `diff` would compare files that are none of the repository's. */
function requireInside(names: readonly string[], cwd: string, root: string): void {
  for (const name of names) {
    const given = isAbsolute(name) ? name : join(realTarget(cwd), name);
    // A link in the repository is itself what is compared, not what it leads to.
    const way = relative(root, join(realTarget(dirname(given)), basename(given)));
    if (way !== ".." && !way.startsWith("../") && !isAbsolute(way)) continue;
    throw refusal("outside", `${printable(name)} is outside the repository ${printable(root)}. Use read for it.`);
  }
}

/** What keeps the subcommand from starting anything. It comes after the model's options: the last word counts. */
const FORCED: Readonly<Record<Subcommand, readonly string[]>> = {
  status: [...STATUS_FORM, "--ignore-submodules=dirty"], // to look into a submodule would obey its configuration
  log: ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  diff: ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  show: ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  blame: ["--no-textconv"],
};

function commandLine(subcommand: Subcommand, { options, names, paths }: Asked): readonly string[] {
  const given = subcommand === "status" ? withoutForm(options) : options.flatMap(wideStat);
  const rest = paths === null ? names : [...names, "--", ...paths];
  return [subcommand, ...given, ...FORCED[subcommand], ...rest];
}

/** A short line would be made up by leaving out the start of a path. */
const wideStat = (option: string): readonly string[] =>
  option === "--stat" || option === "--patch-with-stat" || option === "--compact-summary"
    ? [option, "--stat-width=1000", "--stat-graph-width=40"]
    : [option];

function show(text: string, { stopped, stderr }: GitEnd, subcommand: Subcommand): ToolOutcome {
  const lines = text === "" ? 0 : text.split("\n").length;
  const notes = [
    ...(stopped === "time" ? ["time ran out: this is the output so far; ask for less"] : []),
    ...(stopped === "size" ? ["over 4 MiB: git was stopped here; ask for less"] : []),
    ...(stderr === "" ? [] : [`git: ${stderr.slice(0, LAST_LINES_CHARS)}`]),
  ];
  const whole = [
    text === "" ? `nothing to show: git ${subcommand} has no output` : text,
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
  const metadata = { lines };
  if (whole.length <= GIT_CHARS) return { ok: true, content: whole, metadata };
  const head = text.slice(0, GIT_CHARS - 2 * LAST_LINES_CHARS);
  const kept = head.slice(0, head.lastIndexOf("\n") + 1 || head.length).replace(/[\ud800-\udbff]$/, "");
  const left = `${lines - kept.split("\n").length + 1} more of ${lines} lines: narrow it with paths, --stat, -n or a range`;
  return {
    ok: true,
    content: [kept.replace(/\n$/, ""), ...[left, ...notes].map((note) => `[${note}]`)].join("\n"),
    full_output: whole,
    metadata,
  };
}

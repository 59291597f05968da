import { refusal } from "../fault.ts";

/*
 * The options each subcommand may be given, name by name: git takes unambiguous beginnings of a name for it, and grows
 * options that write or run something, so what is not here is refused.
 */

export const SUBCOMMANDS = ["status", "log", "diff", "show", "blame"] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

/** `flag` takes no value; `value` needs one, attached or as the next argument; `maybe` may have one attached. */
type Takes = "flag" | "value" | "maybe";

const list = (takes: Takes, names: string): readonly (readonly [string, Takes])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, takes] as const);

/** What a difference is and how it is shown. */
const DIFF = [
  ...list(
    "flag",
    `-p -u --patch -s --no-patch --raw --shortstat --numstat --summary --name-only --name-status --compact-summary
     --patch-with-stat --patch-with-raw -w --ignore-all-space -b --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol
     --ignore-blank-lines --no-renames --pickaxe-all --pickaxe-regex --text -a --full-index --no-prefix --minimal --patience
     --histogram --function-context -W --check --no-relative -R --no-color`,
  ),
  ...list(
    "maybe",
    "--stat --dirstat --find-renames -M --find-copies -C --word-diff --relative --abbrev --ignore-submodules --color-moved",
  ),
  ...list(
    "value",
    "-U --unified --diff-filter --diff-algorithm --inter-hunk-context -S -G --word-diff-regex --anchored",
  ),
];

/** Which commits, and how each is told. */
const LOG = [
  ...list(
    "flag",
    `-i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --all-match --invert-grep --merges
     --no-merges --first-parent --all --graph --oneline --no-decorate --abbrev-commit --no-abbrev-commit --relative-date
     --reverse --topo-order --date-order --author-date-order --follow --full-history --simplify-merges
     --simplify-by-decoration --left-right --cherry-pick --cherry-mark --cherry --left-only --right-only --boundary --source
     --no-walk --parents --children -c --cc -m --no-diff-merges --dense --sparse --remove-empty --no-notes --log-size
     --no-max-parents --no-min-parents --no-mailmap --use-mailmap`,
  ),
  ...list("maybe", "--branches --tags --remotes --decorate --ancestry-path"),
  ...list(
    "value",
    `-n --max-count --skip --since --after --until --before --author --committer --grep --format --pretty --date -L
     --min-parents --max-parents --exclude --glob`,
  ),
];

const OPTIONS: Readonly<Record<Subcommand, ReadonlyMap<string, Takes>>> = {
  status: new Map([
    ...list(
      "flag",
      "-s --short -b --branch --long --ahead-behind --no-ahead-behind --renames --no-renames --show-stash",
    ),
    ...list("maybe", "--porcelain -u --untracked-files --ignored --find-renames --ignore-submodules"),
  ]),
  log: new Map([...DIFF, ...LOG]),
  show: new Map([...DIFF, ...LOG]),
  diff: new Map([...DIFF, ...list("flag", "--cached --staged --merge-base --ours --theirs --base")]),
  blame: new Map([
    ...list(
      "flag",
      "-w -s -l -t -n -f -e -b --show-name --show-number --show-email --first-parent --root -p --porcelain",
    ),
    ...list("flag", "--line-porcelain --minimal --no-progress --reverse"),
    ...list("maybe", "-M -C --abbrev"),
    ...list("value", "-L --since --ignore-rev --date --diff-algorithm"),
  ]),
};

/** Arguments that git may be given. */
export interface Asked {
  /** Each with its value attached. */
  readonly options: readonly string[];
  /** Revisions and, where nothing tells them apart, paths. */
  readonly names: readonly string[];
  /** What stood after `--`; null without it. */
  readonly paths: readonly string[] | null;
}

/** @throws {AgentError} `option_refused` for all that is not known to be harmless; kind `policy`. */
export function parseOptions(subcommand: Subcommand, args: readonly string[]): Asked {
  const cut = args.indexOf("--");
  const before = cut === -1 ? args : args.slice(0, cut);
  const options: string[] = [];
  const names: string[] = [];
  for (let at = 0; at < before.length; at++) {
    const arg = before[at] ?? "";
    if (arg.includes("\0")) throw refused(subcommand, arg, "it holds a NUL character");
    if (!arg.startsWith("-") || arg === "-") {
      names.push(arg);
      continue;
    }
    const option = readOption(subcommand, arg, before[at + 1]);
    if (option.takes_next) at++;
    options.push(option.text);
  }
  const paths = cut === -1 ? null : args.slice(cut + 1);
  if (paths?.some((path) => path.includes("\0"))) throw refused(subcommand, "--", "a path holds a NUL character");
  return { options, names, paths };
}

interface Option {
  readonly text: string;
  readonly takes_next: boolean;
}

function readOption(subcommand: Subcommand, arg: string, next: string | undefined): Option {
  const option = arg.startsWith("--") ? readLong(subcommand, arg, next) : readShort(subcommand, arg, next);
  if (option === null) throw refused(subcommand, arg, `it is none of those that ${subcommand} may be given here`);
  // `%G?` and its like make git start a program that checks signatures.
  if (/^--(format|pretty)=/.test(option.text) && option.text.includes("%G")) {
    throw refused(subcommand, arg, "%G would start a program to check signatures");
  }
  return option;
}

function readLong(subcommand: Subcommand, arg: string, next: string | undefined): Option | null {
  const cut = arg.indexOf("=");
  const name = cut === -1 ? arg : arg.slice(0, cut);
  const takes = OPTIONS[subcommand].get(name);
  if (takes === undefined || (takes === "flag" && cut !== -1)) return null;
  if (takes !== "value" || cut !== -1 || name === "--pretty") return { text: arg, takes_next: false };
  if (next === undefined) throw refused(subcommand, arg, "its value is missing");
  return { text: `${arg}=${next}`, takes_next: true };
}

function readShort(subcommand: Subcommand, arg: string, next: string | undefined): Option | null {
  const known = OPTIONS[subcommand];
  if (/^-\d+$/.test(arg)) return known.has("-n") ? { text: `--max-count=${arg.slice(1)}`, takes_next: false } : null;
  const takes = known.get(arg.slice(0, 2));
  if (takes === undefined) return null;
  if (takes === "flag") return readFlags(subcommand, arg);
  if (arg.length > 2 || takes === "maybe") return { text: arg, takes_next: false };
  if (next === undefined) throw refused(subcommand, arg, "its value is missing");
  return { text: arg + next, takes_next: true };
}

/** `-sb`: several letters in one, each a flag. Only `status` reads them so. */
function readFlags(subcommand: Subcommand, arg: string): Option | null {
  if (arg.length === 2) return { text: arg, takes_next: false };
  const all = [...arg.slice(1)].every((letter) => OPTIONS[subcommand].get(`-${letter}`) === "flag");
  return all && subcommand === "status" ? { text: arg, takes_next: false } : null;
}

const ARG_CHARS = 100;

function refused(subcommand: Subcommand, arg: string, why: string): Error {
  const shown = JSON.stringify(arg.slice(0, ARG_CHARS));
  return refusal(
    "option_refused",
    `git ${subcommand} was not run with ${shown}: ${why}. This tool reads only: no option that writes or starts a program. A path that begins with "-" goes after "--".`,
    "policy",
  );
}

import { refusal } from "../fault.ts";
import type { GitEnd } from "./run.ts";

type Rule = readonly [pattern: RegExp, code: string, mend: string];

/** What git says when it can't, and what to do about it. The first that fits counts. */
const RULES: readonly Rule[] = [
  [
    /dubious ownership|unsafe repository/,
    "dubious_ownership",
    "The repository belongs to another user, so git does not trust it. If you do, the user can run: git config --global --add safe.directory <its path>",
  ],
  [
    /not a git repository: .*worktrees|not a git repository: \(null\)/,
    "broken_worktree",
    "The repository that this linked work tree or submodule belongs to is gone or was moved. In the main repository: git worktree repair, or git submodule update --init.",
  ],
  [/not a git repository/, "not_a_repository", "There is no git repository here. Nothing to show."],
  [
    /must be run in a work tree/,
    "bare_repository",
    "This is a bare repository: it has no work tree. log works, and show or diff of commits.",
  ],
  [
    /does not have any commits yet|bad default revision 'HEAD'|ambiguous argument 'HEAD'|bad revision 'HEAD'|no such ref: HEAD/,
    "no_commits",
    "The repository has no commits yet. status shows what is in it.",
  ],
  [
    /index file corrupt|bad index file|index file smaller|bad signature 0x|index uses .* extension/,
    "corrupt_index",
    "The index is damaged. log and show still work; the user can make it anew: rm .git/index && git reset",
  ],
  [
    /index\.lock|\.lock': File exists/,
    "locked",
    "Another git is at work here, or one crashed and left its lock file. Try again; if no git runs, remove the lock file.",
  ],
  [
    /unable to read (tree|[0-9a-f]{7})|could not fetch|transport '.*' not allowed|loose object .* is corrupt|bad object|object file .* is empty|missing blob|Could not read|not our ref|promisor/,
    "missing_object",
    "An object can't be read: the repository is damaged, shallow or a partial clone (nothing is fetched here), or there is no such object. The user can run: git fsck",
  ],
  [
    /unknown revision or path|bad revision|Invalid symmetric difference|Invalid revision range|no such commit|unknown commit|invalid object name/i,
    "unknown_revision",
    'There is no such revision or path. log --all --oneline lists commits; paths go after "--".',
  ],
  [
    /no such path|does not exist in|exists on disk, but not in|no such file/i,
    "not_found",
    "git has no such path at that revision. Paths start at the current folder, in <revision>:<path> at the root.",
  ],
  [/outside repository/, "outside", "That path is outside the repository. Use read for it."],
  [
    /unrecognized argument|unknown option|unknown switch|usage: git/,
    "bad_option",
    "This git does not know an option that was given.",
  ],
  [/insufficient permission|Permission denied/i, "permission", "The repository can't be read by this user."],
];

/** A failed run as a refusal with git's own words and the mend. */
export function failure({ stderr, exit_code }: GitEnd): Error {
  const words = stderr
    .split("\n")
    .filter((line) => !line.startsWith("hint:") && line.trim() !== "")
    .slice(0, 4)
    .join("\n")
    .slice(0, 600);
  const rule = RULES.find(([pattern]) => pattern.test(stderr));
  if (rule !== undefined) return refusal(rule[1], `${rule[2]}\n${words}`);
  return refusal("git_failed", `git ended with ${exit_code ?? "a signal"}. ${words}`.trim());
}

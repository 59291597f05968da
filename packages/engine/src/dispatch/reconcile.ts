import { isAbsolute, join, relative } from "node:path";
import type { ChangesCheck, Report, VerificationVerdict } from "@smith/contract/dispatch";
import type { Receipt } from "@smith/contract/receipt";
import type { Shown } from "./shown.ts";

/** What a worker's claims are compared with. */
export interface WorkGround {
  readonly receipts: readonly Receipt[];
  readonly shown: readonly Shown[];
  readonly cwd: string;
  readonly project_root: string | null;
  /** When a file was last changed, ms since the epoch; null when it is not there. Must not throw. */
  changedAt(path: string): Promise<number | null>;
}

/** A file that changed, by which right. */
interface Done {
  readonly path: string;
  readonly shared: boolean;
}

/** Claimed changes beside what the job's calls did. What several jobs may have done is blamed on none. */
export async function checkChanges(changes: Report["changes"], ground: WorkGround): Promise<ChangesCheck> {
  const done = doneBy(ground.receipts);
  const claims = changes.map(({ path }) => ({ path, means: meaningOf(path, ground) }));
  const isDone = await Promise.all(
    claims.map(
      async ({ means }) => done.some((each) => covers(means, each.path)) || (await isInACommand(means, ground)),
    ),
  );
  const unclaimed = done.filter(({ path }) => !claims.some(({ means }) => covers(means, path)));
  const shownAs = ({ path }: Done) => within(ground.cwd, path);
  return {
    claimed_and_done: unique(claims.filter((_, at) => isDone[at]).map(({ path }) => path)),
    claimed_not_done: unique(claims.filter((_, at) => !isDone[at]).map(({ path }) => path)),
    done_not_claimed: unclaimed.filter(({ shared }) => !shared).map(shownAs),
    shared: unclaimed.filter(({ shared }) => shared).map(shownAs),
  };
}

const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];

/** Every file the calls changed, once; shared only where no call of the job alone did it. */
function doneBy(receipts: readonly Receipt[]): readonly Done[] {
  const shared = new Map<string, boolean>();
  const add = (path: string, isShared: boolean) => shared.set(path, (shared.get(path) ?? true) && isShared);
  for (const { files, changed_during } of receipts) {
    for (const file of files) if (file.hash_before !== file.hash_after) add(file.path, false);
    for (const file of changed_during ?? []) add(file.path, file.shared);
  }
  return [...shared].map(([path, isShared]) => ({ path, shared: isShared }));
}

/** The places a claimed path may mean; also a bare name, which means any file of that name. */
interface Meaning {
  readonly places: readonly string[];
  readonly ending: string;
}

function meaningOf(claimed: string, { cwd, project_root }: WorkGround): Meaning {
  const path = claimed
    .trim()
    .replace(/^[`"']+|[`"']+$/g, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+|\/+$/g, "");
  const places = isAbsolute(path) ? [path] : [join(cwd, path), join(project_root ?? cwd, path)];
  return { places, ending: `/${path}` };
}

/** The file itself, or one below a claimed folder. */
const covers = ({ places, ending }: Meaning, path: string): boolean =>
  path.endsWith(ending) || places.some((place) => path === place || path.startsWith(`${place}/`));

/** A kernel stamps files with a clock that lags behind by a tick, ms. */
const TICK_MS = 12;

/**
 * The file was changed while a command of the job ran. It serves where git could not tell: outside a repository, and for
 * what a command has committed.
 */
async function isInACommand({ places }: Meaning, { receipts, changedAt }: WorkGround): Promise<boolean> {
  const times = await Promise.all(places.map(changedAt));
  const commands = receipts.filter(({ tool }) => tool === "bash");
  return times.some(
    (at) => at !== null && commands.some(({ started_at, ended_at }) => at >= started_at - TICK_MS && at <= ended_at),
  );
}

function within(cwd: string, path: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}

/** Whether each claimed command was part of a bash call of the job; of several, the last counts. */
export function checkVerification(
  verification: Report["verification"],
  { receipts, shown }: WorkGround,
): readonly VerificationVerdict[] {
  const ran = shown.filter(({ tool }) => tool === "bash").map((each) => ({ ...each, command: commandOf(each.args) }));
  return verification.map(({ command }, index) => {
    const wanted = wantedOf(command);
    const call = ran.findLast((each) => wanted.some((one) => each.command.includes(one)));
    const receipt = receipts.find(({ receipt_id }) => receipt_id === call?.receipt_id);
    return {
      ...{ index, ran: call !== undefined },
      ...{ receipt: receipt?.receipt_id ?? null, exit_code: receipt?.exit_code ?? null },
    };
  });
}

const collapsed = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The command as written, or what stands in back-ticks in it. */
function wantedOf(command: string): readonly string[] {
  const ticked = [...command.matchAll(/`([^`]+)`/g)].map(([, inner = ""]) => inner);
  const given = ticked.length > 0 ? ticked : [command];
  return given.map((each) => collapsed(each.replace(/^\s*\$\s+/, ""))).filter((each) => each !== "");
}

function commandOf(args: string): string {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? collapsed(command) : "";
  } catch {
    return ""; // it never ran
  }
}

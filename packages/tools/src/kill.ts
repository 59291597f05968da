import { readdirSync, readFileSync } from "node:fs";

/** How long a process may take to end after SIGTERM, and again after SIGKILL, ms. */
const GRACE_MS = 200;
/** A killed process that stays (the kernel won't let go of it, or it is another user's) is given up after this, ms. */
export const GIVE_UP_MS = 2000;
/** The pause after the first look whether they have ended, ms; it doubles. */
const POLL_MS = 2;
const SLOWEST_POLL_MS = 20;
/** So many entries of /proc are read in one go, some 15 µs each: reading them through the thread pool takes five times that. */
const BATCH = 200;
/** A process may fork between the look and the kill: look again, this often at most. */
const ROUNDS = 5;

/** Environment variable that marks what a call started; found again in /proc where a child left its group. */
export const MARKER = "SMITH_CALL";

export interface Quarry {
  /** Process groups to end. */
  readonly groups: readonly number[];
  /** Text within the value of {@link MARKER} of those that escaped their group. */
  readonly marker: string;
}

/** Ends the groups, and on Linux all that carry the marker: SIGTERM, then SIGKILL after 200 ms. */
export async function killAll({ groups, marker }: Quarry): Promise<void> {
  for (const group of groups) send(-group, "SIGTERM");
  const escaped = await findMarked(marker);
  for (const pid of escaped) send(pid, "SIGTERM");
  if (!(await haveEnded(groups, escaped))) {
    for (const group of groups) send(-group, "SIGKILL");
    for (const pid of escaped) send(pid, "SIGKILL");
    await haveEnded(groups, escaped);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const left = await findMarked(marker);
    if (left.length === 0) return;
    for (const pid of left) send(pid, "SIGKILL");
    await pause(SLOWEST_POLL_MS);
  }
}

/** Waits until all have ended, 200 ms at most; false when one has not. */
async function haveEnded(groups: readonly number[], pids: readonly number[]): Promise<boolean> {
  const deadline = performance.now() + GRACE_MS;
  for (let wait = POLL_MS; await anyLives(groups, pids); wait = Math.min(wait * 2, SLOWEST_POLL_MS)) {
    if (performance.now() >= deadline) return false;
    await pause(wait);
  }
  return true;
}

/** Whether one of them still runs. A zombie does not: it only waits for somebody to look at its exit code. */
async function anyLives(groups: readonly number[], pids: readonly number[]): Promise<boolean> {
  const suspects = { groups: groups.filter((group) => isAlive(-group)), pids: pids.filter((pid) => isAlive(pid)) };
  if (suspects.groups.length + suspects.pids.length === 0) return false;
  if (process.platform !== "linux") return true;
  const living = await eachProcess(readState);
  return living.some(
    (each) => each.state !== "Z" && (suspects.groups.includes(each.group) || suspects.pids.includes(each.pid)),
  );
}

/** State and group of a process out of /proc; its name may hold blanks and brackets, so the fields after it count. */
function readState(pid: number): { pid: number; state: string; group: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [state = "", , group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { pid, state, group: Number(group) };
}

/** What `read` says of each process that can be read: not of those that end meanwhile or are another user's. */
async function eachProcess<Read>(read: (pid: number) => Read): Promise<readonly Read[]> {
  const pids = processIds();
  const said: Read[] = [];
  for (let at = 0; at < pids.length; at += BATCH) {
    if (at > 0) await new Promise(setImmediate); // thousands of them must not stop a stream that is being drawn
    for (const pid of pids.slice(at, at + BATCH)) {
      try {
        said.push(read(pid));
      } catch {
        // ended meanwhile, or another user's
      }
    }
  }
  return said;
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Ends a group without waiting, for when the process itself is leaving. */
export const killGroup = (group: number): void => void send(-group, "SIGKILL");

export const groupIsAlive = (group: number): boolean => isAlive(-group);

const isAlive = (target: number): boolean => send(target, 0);

/** False when there is no such process (or it is none of ours to signal). */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false; // gone already: that is what was wanted
  }
}

async function findMarked(marker: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const found = await eachProcess((pid) => (isMarked(pid, marker) ? [pid] : []));
  return found.flat().filter((pid) => pid !== process.pid);
}

const isMarked = (pid: number, marker: string): boolean =>
  readFileSync(`/proc/${pid}/environ`, "latin1")
    .split("\0")
    .some((entry) => entry.startsWith(`${MARKER}=`) && entry.includes(marker));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

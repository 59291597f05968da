import { readdir, readFile } from "node:fs/promises";

/** How long a process may take to end by itself after SIGTERM, ms. */
const GRACE_MS = 200;
const POLL_MS = 10;
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
  const escaped = await findMarked(marker);
  for (const group of groups) send(-group, "SIGTERM");
  for (const pid of escaped) send(pid, "SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  while ((await anyLives(groups, escaped)) && performance.now() < deadline) await pause(POLL_MS);
  for (const group of groups) send(-group, "SIGKILL");
  for (let round = 0; round < ROUNDS; round++) {
    const left = await findMarked(marker);
    if (left.length === 0) return;
    for (const pid of left) send(pid, "SIGKILL");
    await pause(POLL_MS);
  }
}

/** Whether one of them still runs. A zombie does not: it only waits for somebody to look at its exit code. */
async function anyLives(groups: readonly number[], pids: readonly number[]): Promise<boolean> {
  const suspects = { groups: groups.filter((group) => isAlive(-group)), pids: pids.filter((pid) => isAlive(pid)) };
  if (suspects.groups.length + suspects.pids.length === 0) return false;
  if (process.platform !== "linux") return true;
  const living = await Promise.all((await processIds()).map(readState));
  return living.some(
    (each) =>
      each !== null && each.state !== "Z" && (suspects.groups.includes(each.group) || suspects.pids.includes(each.pid)),
  );
}

/** State and group of a process out of /proc; its name may hold blanks and brackets, so the fields after it count. */
async function readState(pid: string): Promise<{ pid: number; state: string; group: number } | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    const [state = "", , group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid: Number(pid), state, group: Number(group) };
  } catch {
    return null; // ended meanwhile
  }
}

const processIds = async (): Promise<readonly string[]> =>
  (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));

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
  const names = await processIds();
  const marked = await Promise.all(names.map((name) => isMarked(name, marker)));
  return names.map(Number).filter((pid, i) => marked[i] === true && pid !== process.pid);
}

async function isMarked(pid: string, marker: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
    return environment.split("\0").some((entry) => entry.startsWith(`${MARKER}=`) && entry.includes(marker));
  } catch {
    return false; // ended meanwhile, or another user's
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

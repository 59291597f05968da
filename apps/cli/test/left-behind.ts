import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A variable that a child inherits wherever it goes: by it the processes of one test are found. */
export const MARK = "SMITH_TEST_MARK";

/** Processes with this mark; none where there is no /proc. */
export const markedPids = (mark: string): number[] =>
  numbersIn("/proc").filter((pid) => readOrEmpty(`/proc/${pid}/environ`).split("\0").includes(`${MARK}=${mark}`));

const GONE_MS = 250;
const LOOK_MS = 10;

/** Command lines of the marked processes that are still there a moment from now: one that was killed goes in its own time. */
export async function leftBehind(mark: string): Promise<readonly string[]> {
  const deadline = performance.now() + GONE_MS;
  while (markedPids(mark).length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return markedPids(mark).map((pid) => readOrEmpty(`/proc/${pid}/cmdline`).split("\0").join(" ").trim());
}

const numbersIn = (folder: string): number[] =>
  (existsSync(folder) ? readdirSync(folder) : []).map(Number).filter((number) => number > 0);

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it ended meanwhile, or is another user's
  }
}

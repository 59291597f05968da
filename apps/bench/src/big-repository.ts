import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PER_FOLDER = 100;

/** A repository of so many small committed files below `home`; made the first time. Needs git. */
export function bigRepository(home: string, files: number): string {
  const root = join(home, `work-${files}`);
  if (existsSync(root)) return root;
  for (let n = 0; n < files; n++) {
    const folder = join(root, `d${Math.floor(n / PER_FOLDER)}`);
    if (n % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${n}.txt`), `file ${n}\n`);
  }
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "all"],
  ]) {
    execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], { cwd: root });
  }
  return root;
}

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const APP = resolve(import.meta.dirname, "..");
const ROOT = resolve(APP, "../..");

/** The program as it is shipped. */
export const SMITH = join(APP, "dist", "smith.js");

/** Builds it when it is absent or older than any source that goes into it. */
export function ensureBuilt(): void {
  const built = existsSync(SMITH) ? statSync(SMITH).mtimeMs : 0;
  if (newest(sourceFolders()) > built) execFileSync(process.execPath, [join(APP, "build.mjs")]);
}

const sourceFolders = (): string[] => [
  join(APP, "src"),
  ...readdirSync(join(ROOT, "packages")).map((name) => join(ROOT, "packages", name, "src")),
];

const newest = (folders: readonly string[]): number =>
  Math.max(
    ...folders
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );

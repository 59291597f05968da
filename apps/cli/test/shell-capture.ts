import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect } from "vitest";

const FOLDER = resolve(import.meta.dirname, "../../../docs/shell");

/**
 * The screen as it stands in `docs/shell/<name>.txt`. With SMITH_CAPTURE=1 it is written there instead:
 * `SMITH_CAPTURE=1 npx vitest run apps/cli/test/shell.test.ts`.
 */
export function expectCapture(name: string, rows: readonly string[]): void {
  const file = resolve(FOLDER, `${name}.txt`);
  const text = `${rows.map(steady).join("\n")}\n`;
  if (process.env["SMITH_CAPTURE"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, "utf8"));
}

/** What differs from run to run put to one value of the same width: port, spinner, seconds, ids. */
const steady = (row: string): string =>
  row
    .replace(/127\.0\.0\.1:\d{5}/g, "127.0.0.1:40000")
    .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /, "⠋ ")
    .replace(/(?<= )\ds\b/g, "2s")
    .replace(/(?<=(?:Link|Niobe) )[\w-]{4}(?= in )/g, "Ab12");

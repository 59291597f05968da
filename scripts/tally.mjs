// Reads the JSON reports that the test runs leave behind.
// usage: node scripts/tally.mjs [EXIT_CODE]   prints "N passed, N failed, N skipped" over all reports
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stateDir } from "./stamps.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where the run called `unit` or `long` leaves its report. */
export const reportFile = (run) => join(stateDir(root), "reports", `${run}.json`);
export const dropReport = (run) => rmSync(reportFile(run), { force: true });

/** Every test of a run as `{ file, title, status }`; a file that could not be loaded is one failed test. */
export function readReport(run) {
  if (!existsSync(reportFile(run))) return [];
  const { testResults } = JSON.parse(readFileSync(reportFile(run), "utf8"));
  return testResults.flatMap((result) => {
    const file = relative(root, result.name);
    const tests = result.assertionResults.map(({ title, status }) => ({ file, title, status }));
    const isUnexplained = result.status === "failed" && !tests.some((test) => test.status === "failed");
    return isUnexplained ? [...tests, { file, title: result.message, status: "failed" }] : tests;
  });
}

/** One line over these tests. A run that went wrong without a failed test (a lint error, a crash) counts as one. */
export function tally(tests, exitCode) {
  const count = (status) => tests.filter((test) => test.status === status).length;
  const passed = count("passed");
  const failed = Math.max(count("failed"), exitCode === 0 ? 0 : 1);
  return `${passed} passed, ${failed} failed, ${tests.length - passed - count("failed")} skipped`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(tally([...readReport("unit"), ...readReport("long")], Number(process.argv[2] ?? 0)));
}

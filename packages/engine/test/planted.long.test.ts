import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ENGINE = join(import.meta.dirname, "..");
const ROOT = join(ENGINE, "../..");
const PLANTED = join(import.meta.dirname, "planted");

/** Each patch plants one bug of the window; what it is called says which. A law that none of them turns red proves nothing. */
const patches = readdirSync(PLANTED).sort();

test("the six planted bugs are there", () => {
  expect(patches).toEqual([
    "calibration-moves-the-edge.patch",
    "edge-moves-every-round.patch",
    "keep-rounds-off-by-one.patch",
    "key-of-another-output.patch",
    "old-user-message-dropped.patch",
    "parallel-batch-parted.patch",
  ]);
});

test.each([null, ...patches])("W8 a law turns red for the planted bug %s, and none without one", async (patch) => {
  const copy = copyOfEngine();
  if (patch !== null)
    execFileSync("git", ["apply", "--unsafe-paths", "-p1", join(PLANTED, patch)], { cwd: copy.engine });
  const red = await failing(copy.root);
  console.log(`${patch ?? "no bug"}: ${red.length === 0 ? "all green" : red.join("; ")}`);
  expect(red.length > 0).toBe(patch !== null);
});

/** The sources and the window's tests, apart from the repository; what they import is this one's. */
function copyOfEngine(): { readonly root: string; readonly engine: string } {
  const root = mkdtempSync(join(tmpdir(), "smith-planted-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const engine = join(root, "packages/engine");
  mkdirSync(join(engine, "test"), { recursive: true });
  cpSync(join(ENGINE, "src"), join(engine, "src"), { recursive: true });
  for (const file of ["window.test.ts", "compact.test.ts", "window-scene.ts"]) {
    cpSync(join(ENGINE, "test", file), join(engine, "test", file));
  }
  symlinkSync(join(ENGINE, "node_modules"), join(engine, "node_modules"));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  cpSync(join(ROOT, "vitest.config.ts"), join(root, "vitest.config.ts"));
  return { root, engine };
}

/** The titles of the tests that fail in the copy. @throws when none ran. */
async function failing(root: string): Promise<readonly string[]> {
  const report = join(root, "report.json");
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", `--outputFile=${report}`];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: root }, () => resolve()); // its code says that some failed: that is wanted
  });
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const all = testResults.flatMap((file) => file.assertionResults);
  if (all.length === 0) throw new Error("no test ran in the copy");
  return all.filter(({ status }) => status === "failed").map(({ title }) => title);
}

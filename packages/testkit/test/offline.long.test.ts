import { execFile, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

/** A process of its own network, in which nothing is but itself. */
const ALONE = ["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "alone"];
const canBeAlone = spawnSync("unshare", [...ALONE, "true"]).status === 0;
if (!canBeAlone) console.log("skipped: a process without a network needs unshare and ip");

const root = resolve(import.meta.dirname, "../../..");
/** Whatever speaks to a network. */
const TALKING = [
  ...["packages/llm", "packages/gateway", "packages/mcp", "packages/tools/test/web-"],
  ...["web", "discover", "catalog", "agent"].map((name) => `packages/runtime/test/${name}.test.ts`),
];

test.skipIf(!canBeAlone)("X7 the tests of all that speaks to a network pass where there is none", async () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  const run = (...command: string[]) =>
    new Promise<{ failed: boolean; text: string }>((done) =>
      execFile("unshare", [...ALONE, process.execPath, ...command], { cwd: root, env }, (error, stdout, stderr) =>
        done({ failed: error !== null, text: stdout + stderr }),
      ),
    );
  const probe = `fetch("http://192.0.2.1").catch((e) => console.log(e.cause.code))`;
  expect(await run("-e", probe)).toEqual({ failed: false, text: "ENETUNREACH\n" });
  const { failed, text } = await run("node_modules/vitest/vitest.mjs", "run", "--reporter=dot", ...TALKING);
  expect(failed, text).toBe(false);
});

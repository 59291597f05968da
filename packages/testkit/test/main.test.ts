import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goodRequest, post, told } from "./speak.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smith-testkit-"));
  const entry = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: join(folder, "main.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@smith/source"],
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (...args: string[]) => spawn(process.execPath, [join(folder, "main.mjs"), ...args]);

test("the server runs on its own with a script from a file, and ends on SIGTERM", async () => {
  const script = join(folder, "steps.json");
  await writeFile(script, JSON.stringify([{ say: "from a file" }]));
  const child = start("--script", script);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const response = await post(String(line).trim(), goodRequest());
  expect(told(await response.text()).text).toBe("from a file");
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});

test.each([
  [[], "--script is missing: name a JSON file with a list of steps.\n"],
  [["--script", "x", "--port", "no"], "--port no is no port: give a whole number from 0 (any free one) to 65535.\n"],
])("bad arguments %j end with exit code 2 and the mend", async (args, words) => {
  const child = start(...args);
  const said: Buffer[] = [];
  child.stderr.on("data", (bytes: Buffer) => said.push(bytes));
  expect(await once(child, "close")).toEqual([2, null]);
  expect(Buffer.concat(said).toString()).toBe(words);
});

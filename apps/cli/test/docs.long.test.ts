import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

test.each([
  ["X5", "docs/API.md is what the docstrings say", "scripts/docs-api.mjs"],
  ["X4", "docs/COMMANDS.md is what the table of commands says", "scripts/docs-commands.mjs"],
])("%s %s", (_row, _says, script) => {
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { cwd: root, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { model, place } from "./scene.ts";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { conformance: string } };
const RUNNER = join(dirname(manifest), bin.conformance);

/**
 * The scenarios for clients that the protocol's own suite has and Smith takes part in, each with the call that the model
 * makes. Left out: those of OAuth and of elicitation, which Smith does not do (docs/MCP.md).
 */
const SCENARIOS: readonly (readonly [name: string, calls: readonly (readonly [string, object])[]])[] = [
  ["initialize", []],
  ["tools_call", [["mcp__far__add_numbers", { a: 5, b: 3 }]]],
  ["sse-retry", [["mcp__far__test_reconnection", {}]]],
];

/** Smith as the client under test: the suite gives it the address of its server. */
const client = (config: object) => `#!/bin/sh
set -e
printf '%s' '${JSON.stringify(config)}' | sed "s|ADDRESS|$1|" > "$SMITH_HOME/config.json"
exec "${process.execPath}" "${SMITH}" -p go --output json
`;

describe("the conformance suite of MCP", () => {
  test.each(SCENARIOS)("K13 client scenario %s", async (scenario, calls) => {
    const llm = await model([...calls.map(([name, args]) => ({ call: [{ id: "c", name, args }] })), { say: "Done." }]);
    const here = place();
    const script = join(here.home, "client.sh");
    writeFileSync(script, client({ ...llm.config, mcp_servers: { far: { url: "ADDRESS" } } }));
    const env = {
      PATH: process.env["PATH"],
      HOME: here.home,
      SMITH_HOME: here.home,
      SMITH_NO_PROBE: "1",
      NO_COLOR: "1",
    };
    const run = promisify(execFile)(
      process.execPath,
      [RUNNER, "client", "--command", `sh ${script}`, "--scenario", scenario, "--verbose"],
      { cwd: here.cwd, env },
    );
    const { stdout, stderr } = await run.catch((failed: { stdout: string; stderr: string }) => failed);
    const said = `${stdout}\n${stderr}`;
    const [, passed, all] = /Passed: (\d+)\/(\d+), 0 failed, 0 warnings/.exec(said) ?? [];
    expect([Number(passed) > 0, passed], said).toEqual([true, all]);
  });
});

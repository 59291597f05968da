import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { model, place } from "./scene.ts";

const PROGRAM = join(import.meta.dirname, "../../../packages/runtime/test/mcp-server.mjs");
const stdio = (how: object, more: object = {}) => ({
  command: process.execPath,
  args: [PROGRAM, JSON.stringify(how)],
  ...more,
});

test("PL15 K11 smith mcp list --json and smith doctor show each server, what it offers, or why it fails", async () => {
  const servers = {
    good: stdio({ names: ["x"] }, { disabled_tools: ["greet"] }),
    bad: stdio({ exit: 2, stderr: "no license" }),
    off: { url: "https://example.org/mcp?key=1", enabled: false },
  };
  const llm = await model([]);
  const here = place({ config: { ...llm.config, mcp_servers: servers } });
  const list = await here.run(["mcp", "list", "--json"]);
  const row = { transport: "stdio", server: "", roles: ["direct", "worker"], error: null, tools: [], left_out: [] };
  const from = (how: object) => `${process.execPath} ${PROGRAM} ${JSON.stringify(how)}`.slice(0, 200);
  const error = 'The MCP server bad ended with exit code 2 before it was ready. Its last words: "no license".';
  expect([list.code, JSON.parse(list.stdout)]).toEqual([
    0,
    [
      {
        ...{ ...row, name: "good", status: "ready", from: from({ names: ["x"] }), server: "test 1.2.3" },
        tools: [{ name: "mcp__good__x", tool: "x", side_effects: "some" }],
      },
      { ...row, name: "bad", status: "failed", from: from({ exit: 2, stderr: "no license" }), error },
      { ...row, name: "off", status: "off", transport: "http", from: "https://example.org/mcp" },
    ],
  ]);
  const doctor = await here.run(["doctor", "--json"]);
  const { checks } = JSON.parse(doctor.stdout) as {
    checks: { name: string; ok: boolean; detail: string; mend: string | null }[];
  };
  expect([doctor.code, checks.filter(({ name }) => name === "mcp")]).toEqual([
    1,
    [
      { name: "mcp", ok: true, detail: "good: test 1.2.3, 1 tool", mend: null },
      {
        name: "mcp",
        ok: false,
        detail: error,
        mend: "Do what the line says, or switch it off: mcp_servers.bad.enabled false.",
      },
    ],
  ]);
  expect(await here.leftBehind()).toEqual([]);
});

test("PL15 a server that stays although its input was closed holds up nothing and takes nothing with it", async () => {
  const here = place({ config: { mcp_servers: { s: stdio({ stays: true, deaf: true }) } } });
  const { code, stdout } = await here.run(["mcp", "list"]);
  expect([code, stdout.split("\n")[1]]).toEqual([0, "    mcp__s__greet"]);
  expect(await here.leftBehind()).toEqual([]);
});

test("PL6 smith tools and policy explain know the tools of servers, and for whom they are", async () => {
  const here = place({ config: { mcp_servers: { s: stdio({}) } } });
  const { stdout } = await here.run(["tools", "--role", "worker", "--json"]);
  const rows = JSON.parse(stdout) as { name: string }[];
  expect(rows.filter(({ name }) => name.startsWith("mcp__"))).toEqual([
    { name: "mcp__s__greet", side_effects: "some", allowed: true, rule: "the role may call mcp__s__greet" },
  ]);
  const explained = await here.run(["policy", "explain", "orchestrator", "mcp__s__greet"]);
  expect(explained.stdout).toBe("deny: mcp__s__greet is not for orchestrator (tool's own list)\n");
  expect(await here.leftBehind()).toEqual([]);
});

test("PL15 the line shell lists servers by /mcp, and what no server is configured for is said", async () => {
  const llm = await model([]);
  const here = place({ config: { ...llm.config, mcp_servers: { s: stdio({}) } } });
  const { stdout } = await here.run([], { stdin: "/mcp\n/mcp now\n" });
  expect(stdout).toContain("    mcp__s__greet\n");
  const none = await place({ config: llm.config }).run(["mcp"]);
  expect([none.code, none.stdout]).toEqual([0, "No MCP server is configured. docs/MCP.md shows how.\n"]);
});

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "fault 2 grandchild: after %s in a call nothing that a server started is left",
  async (signal) => {
    const llm = await model([{ call: [{ id: "c", name: "mcp__s__hang", args: {} }] }]);
    const here = place({ config: { ...llm.config } });
    const log = join(here.cwd, "log");
    const server = stdio({ names: ["hang"], log, grandchild: "300", deaf: true, stays: true });
    const run = here.smith(["-p", "go", "--set", `mcp_servers=${JSON.stringify({ s: server })}`]);
    await run.meanwhile(llm.received(1));
    while (!existsSync(log) || !here.read("log").includes("tools/call"))
      await run.meanwhile(new Promise((resolve) => setTimeout(resolve, 10)));
    run.kill(signal);
    const { code } = await run.ended;
    expect(code).toBe({ SIGKILL: null, SIGTERM: 143, SIGINT: 130 }[signal]);
    for (let left = await here.leftBehind(); left.length > 0; ) left = await here.leftBehind();
  },
);

test("PL12 a job of a worker has the tools of the session's servers, by the same processes", async () => {
  const report = { status: "ok", summary: "greeted", changes: [], verification: [] };
  const llm = await model({
    worker: [
      { call: [{ id: "g", name: "mcp__s__greet", args: { name: "W" } }] },
      { call: [{ id: "r", name: "report", args: report }] },
    ],
    direct: [
      { call: [{ id: "d", name: "dispatch", args: { target_role: "worker", task: "greet" } }] },
      { say: "Done." },
    ],
  });
  const here = place({ config: llm.config });
  const log = join(here.cwd, "log");
  const { code, stdout } = await here.run([
    "-p",
    "go",
    "--output",
    "json",
    "--set",
    `mcp_servers=${JSON.stringify({ s: stdio({ log }) })}`,
  ]);
  expect([code, JSON.parse(stdout).dispatches[0].status]).toEqual([0, "ok"]);
  expect(here.read("log").match(/^started /gm)?.length).toBe(1);
});

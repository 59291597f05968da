import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Call, isAlive, logged, offered, pidsIn, play, stdio } from "./mcp-scene.ts";
import { model, place } from "./place.ts";

const HANG: Call = ["mcp__s__hang"];
const GREET: Call = ["mcp__s__greet", { name: "A" }];
const log = () => join(place().home, "log");

/** Waits until something is so; the test's own time ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const failure = (output: string | undefined) =>
  JSON.parse(output ?? "") as { output: string; error: { code: string; message: string } };

test("crash: a server that dies in a call fails that call with its last words, and is there again for the next", async () => {
  const file = log();
  const { outputs, result } = await play({ s: stdio({ names: ["die"], log: file, grandchild: "60" }) }, [
    ["mcp__s__die"],
    GREET,
  ]);
  expect(failure(outputs[0]).error).toMatchObject({
    code: "mcp_closed",
    message:
      'The MCP server s ended with exit code 3 before it answered: what the call did is not known. It is started again with its next call. Its last words: "I can\'t go on.".',
  });
  expect([outputs[1], result.stop_reason]).toEqual(["Hello, A!", "completed"]);
  const [first, child, runaway, second] = pidsIn(file);
  expect(pidsIn(file).length).toBe(6);
  // What the dead one had started went with it, also what had left its group; the living one has all of its own.
  await until(() => [first, child, runaway].every((pid) => !isAlive(pid ?? 0)));
  expect(isAlive(second ?? 0)).toBe(true);
});

test("slow: a server that does not start costs a turn its start_timeout_s once, and no later turn anything", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const servers = { s: stdio({ hang: "initialize" }, { start_timeout_s: 0.3 }) };
  const runtime = place().runtime({ config: { ...llm.config, mcp_servers: servers } });
  const first = await runtime.run("go");
  const second = await runtime.run("go");
  expect([first.text, second.text]).toEqual(["one", "two"]);
  expect(first.notices.map(({ text }) => text)).toEqual([
    "The MCP server s is still starting: its tools come with a later turn.",
  ]);
  expect([first.duration_ms >= 300, second.duration_ms < 300, second.notices]).toEqual([true, true, []]);
});

test("slow: one that comes up late has its tools offered by the turn after", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const file = log();
  const slow = { command: "bash", args: ["-c", 'while ! [ -e "$0.go" ]; do sleep 0.02; done; exec "$@"', file] };
  const real = stdio();
  const servers = { s: { ...slow, args: [...slow.args, real.command, ...real.args], start_timeout_s: 0.1 } };
  const here = place();
  const runtime = here.runtime({ config: { ...llm.config, mcp_servers: servers } });
  await runtime.run("go");
  writeFileSync(`${file}.go`, "");
  const { host } = await runtime.start();
  let status: string | undefined;
  while (status !== "ready") {
    status = (await host.mcp.list())[0]?.status;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await runtime.run("go");
  expect(llm.requests.map(offered)).toEqual([[], ["mcp__s__greet"]]);
});

test("slow: a cancel ends the wait for a server that does not start", async () => {
  const llm = await model([]);
  const file = log();
  const runtime = place().runtime({
    config: { ...llm.config, mcp_servers: { s: stdio({ hang: "initialize", log: file }) } },
  });
  const turn = runtime.run("go");
  await until(() => logged(file).includes("initialize"));
  await runtime.cancel("ctrl-c");
  expect((await turn).stop_reason).toBe("cancelled");
});

test("slow: a call that takes too long is given up and the server told; one that gives no sign of life is ended", async () => {
  const [well, ill] = [log(), log()];
  const servers = {
    s: stdio({ names: ["hang"], log: well, unknown: "ping" }, { timeout_s: 0.3 }),
    t: stdio({ names: ["hang"], log: ill, no_ping: true, deaf: true, stays: true }, { timeout_s: 0.3 }),
  };
  const { outputs, runtime } = await play(servers, [HANG, ["mcp__t__hang"], GREET]);
  expect(outputs.slice(0, 2).map((each) => failure(each).error)).toMatchObject([
    {
      code: "timeout",
      message:
        "The MCP server s did not answer within 0.3 s and was told to stop. What the call did is not known; mcp_servers.s.timeout_s gives it more time.",
    },
    {
      code: "timeout",
      message:
        "The MCP server t did not answer within 0.3 s and was told to stop. What the call did is not known; mcp_servers.t.timeout_s gives it more time.",
    },
  ]);
  expect(outputs[2]).toBe("Hello, A!");
  await until(() => logged(well).some((line) => /^notifications\/cancelled \d+$/.test(line)));
  await until(() => !isAlive(pidsIn(ill)[0] ?? 0));
  expect([isAlive(pidsIn(well)[0] ?? 0), runtime.busy()]).toEqual([true, false]);
});

test("slow: a cancel in a call is told to the server, and not waited for", async () => {
  const calls = [GREET, HANG].map(([name, args = {}], at) => ({ call: [{ id: `c${at}`, name, args }] }));
  const llm = await model(calls);
  const file = log();
  const runtime = place().runtime({
    config: { ...llm.config, mcp_servers: { s: stdio({ names: ["hang"], log: file }) } },
  });
  const turn = runtime.run("go");
  await until(() => logged(file).filter((line) => line === "tools/call").length === 2);
  const account = await runtime.cancel("ctrl-c");
  expect(account?.nodes[0]?.calls.at(-1)).toEqual({ tool: "mcp__s__hang", mutation_state: "unknown" });
  expect((await turn).stop_reason).toBe("cancelled");
  const told = () => logged(file).filter((line) => line.startsWith("notifications/cancelled"));
  await until(() => told().length > 0);
  await runtime.close();
  expect(told()).toEqual(["notifications/cancelled 3"]); // not the handshake, the list, or the call that had its answer
});

test("malformed: an answer that is no message fails its call at once; a handshake that is none, the start", async () => {
  const { outputs, notices } = await play(
    {
      s: stdio({ malformed: "tools/call" }),
      t: stdio({ malformed: "initialize" }),
      u: stdio({ malformed: "tools/list" }),
    },
    [GREET],
  );
  expect(failure(outputs[0]).error.message).toBe(
    "The MCP server s answered with an error (-32603): its answer is no valid JSON-RPC message",
  );
  expect(notices.map((text) => text.slice(0, 90))).toEqual([
    "The MCP server t can't be used: its answer is no valid JSON-RPC message. Its last words: \"",
    "The MCP server u can't be used: its answer is no valid JSON-RPC message. Its tools are mis",
  ]);
});

test("malformed: parts, names and lists of no known shape are left out, and no other with them", async () => {
  const { outputs, requests } = await play({ s: stdio({ tools: [null, 7, { name: 3 }, { name: "raw" }, []] }) }, [
    ["mcp__s__raw", { content: [{ type: "text", text: "here" }, { type: { toString: 1 } }, null] }],
    ["mcp__s__raw", { content: "none" }],
  ]);
  expect(offered(requests[0])).toEqual(["mcp__s__raw"]);
  expect(outputs[0]).toBe(
    "here\n[a part of the answer has no known form: object]\n[a part of the answer has no known form: object]",
  );
  expect(failure(outputs[1]).error.code).toBe("mcp_error");
});

test("burst: a server that writes without end is stopped, and so is one whose answer is too large", async () => {
  const file = log();
  const servers = { s: stdio({ names: ["big"] }), t: stdio({ names: ["flood"], log: file }) };
  const before = process.memoryUsage().rss;
  const { outputs } = await play(servers, [
    ["mcp__s__big", { chars: 9 << 20 }],
    ["mcp__t__flood"],
    ["mcp__s__big", { chars: 30_000 }],
  ]);
  expect(outputs.slice(0, 2).map((each) => failure(each).error.message.split(" before")[0])).toEqual([
    "The MCP server s sent a message of more than 8 MB and was stopped",
    "The MCP server t sends without end what nobody asked for, and was stopped",
  ]);
  expect(outputs[2]?.slice(20_000)).toMatch(/^\n\[truncated, 10000 characters omitted\]/);
  await until(() => !isAlive(pidsIn(file)[0] ?? 0));
  console.info(`resident memory grew by ${((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0)} MB`);
});

test("burst: a list of hundreds of tools is cut, one that goes in a circle ends, and both say so", async () => {
  const names = Array.from({ length: 250 }, (_, at) => `t${at}`);
  const { requests, notices } = await play(
    { s: stdio({ names, page: 7 }), t: stdio({ names: ["x"], page: 1, circle: true }, { enabled_tools: ["x"] }) },
    [],
  );
  expect(offered(requests[0]).length).toBe(100);
  expect(notices).toEqual([
    expect.stringMatching(
      /^Left out of the tools of the MCP server s: t99 \(the server lists more than 100 tools; choose with mcp_servers\.s\.enabled_tools\), .* and 148 more \(smith mcp list\)\.$/,
    ),
    "Left out of the tools of the MCP server t: (further ones) (the server's list does not come to an end).",
    "The MCP servers offer 101 tools; the last 1 are left out. Choose with enabled_tools.",
  ]);
});

test("grandchild: nothing that a server started outlives the session, also what left its group or is deaf to SIGTERM", async () => {
  const file = log();
  const { runtime } = await play({ s: stdio({ log: file, grandchild: "60", deaf: true, stays: true }) }, [GREET]);
  const pids = pidsIn(file);
  expect([pids.length, pids.every(isAlive)]).toEqual([3, true]);
  await runtime.close();
  await until(() => !pids.some(isAlive));
});

test("tools that a server announces come with the next turn, and only they are new", async () => {
  const llm = await model([{ call: [{ id: "c", name: "mcp__s__grow", args: {} }] }, { say: "one" }, { say: "two" }]);
  const runtime = place().runtime({ config: { ...llm.config, mcp_servers: { s: stdio({ names: ["grow"] }) } } });
  await runtime.run("go");
  await runtime.run("go");
  const before = ["mcp__s__greet", "mcp__s__grow"];
  expect(llm.requests.map(offered)).toEqual([before, before, [...before, "mcp__s__grown"]]);
});

test("a changed list that could not be read is read with the turn after, and a cancel ends the wait for it", async () => {
  const llm = await model([{ call: [{ id: "c", name: "mcp__s__grow", args: {} }] }, { say: "one" }, { say: "three" }]);
  const file = log();
  const server = stdio({ names: ["grow"], list_hangs: true, log: file });
  const runtime = place().runtime({ config: { ...llm.config, mcp_servers: { s: server } } });
  await runtime.run("go");
  const turn = runtime.run("go");
  const lists = () => logged(file).filter((line) => line === "tools/list").length;
  await until(() => lists() === 2);
  const cancelled = performance.now();
  await runtime.cancel("ctrl-c");
  expect((await turn).stop_reason).toBe("cancelled");
  expect(performance.now() - cancelled).toBeLessThan(2500);
  await runtime.run("go");
  expect(offered(llm.requests.at(-1))).toEqual(["mcp__s__greet", "mcp__s__grow", "mcp__s__grown"]);
});

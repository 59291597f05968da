import { expect, test } from "vitest";
import { logged, offered, play, stdio } from "./mcp-scene.ts";
import { bodyOf, place } from "./place.ts";

test("PL5 PL6 K13 B94 the tools of a server are offered and called; what it prints beside messages is skipped", async () => {
  const banner = "Server v1 started\n\n-5 x\n{half\n";
  const { outputs, requests, notices, result } = await play({ hi: stdio({ banner, split: true }) }, [
    ["mcp__hi__greet", { name: "Zoë" }],
  ]);
  expect(outputs).toEqual(["Hello, Zoë!"]);
  expect(offered(requests[0])).toEqual(["mcp__hi__greet"]);
  const spec = (bodyOf(requests[0]).tools ?? []).find(({ function: { name } }) => name === "mcp__hi__greet");
  expect(spec?.function).toEqual({
    name: "mcp__hi__greet",
    description: "Greets somebody",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
  expect([notices, result.stop_reason]).toEqual([[], "completed"]);
});

test("PL4 a server that ends at once, or is not there, costs its tools and a sentence, not the turn", async () => {
  const servers = { bad: stdio({ exit: 7, stderr: "no such database\n" }), none: { command: "smith-no-such-program" } };
  const { result, notices, requests } = await play({ ...servers, hi: stdio() }, [["mcp__hi__greet", { name: "A" }]]);
  expect([result.text, offered(requests[0])]).toEqual(["Done.", ["mcp__hi__greet"]]);
  expect(notices).toEqual([
    'The MCP server bad ended with exit code 7 before it was ready. Its last words: "no such database". Its tools are missing; smith mcp list tries again.',
    'The MCP server none can\'t be started: there is no program "smith-no-such-program" (mcp_servers.none.command). Its tools are missing; smith mcp list tries again.',
  ]);
});

test("PL6 a server is for direct and worker unless it says otherwise, and no other role starts it", async () => {
  const here = place();
  const [mine, theirs] = [`${here.home}/mine`, `${here.home}/theirs`];
  const servers = { mine: stdio({ log: mine }), theirs: stdio({ log: theirs }, { roles: ["explorer"] }) };
  const { requests, outputs } = await play(servers, [["mcp__theirs__greet", { name: "A" }]]);
  expect(offered(requests[0])).toEqual(["mcp__mine__greet"]);
  expect(outputs[0]).toContain("unknown_tool: mcp__theirs__greet");
  expect([logged(mine).length > 0, logged(theirs)]).toEqual([true, []]);
});

test("PL6 a tool counts as one with side effects unless the server says that it only reads: mode plan leaves those", async () => {
  const tool = (name: string, annotations: object) => ({ name, description: name, inputSchema: {}, annotations });
  const tools = [tool("a", {}), tool("b", { readOnlyHint: true }), tool("c", { readOnlyHint: "yes" })];
  const { requests } = await play({ s: stdio({ tools }) }, [], { config: { mode: "plan" } });
  expect(offered(requests[0])).toEqual(["mcp__s__b"]);
});

test("a program gets no key of ours, save those its own env names, with variables of the environment put in", async () => {
  const env = { PATH: process.env["PATH"], OPENAI_API_KEY: "sk-1", SECRET: "s3", SMITH_NO_PROBE: "1" };
  const more = { env: { TOKEN: `\${SECRET}/\${MISSING:-x}`, ANTHROPIC_API_KEY: "given" } };
  const { outputs } = await play(
    { s: stdio({ names: ["env", "value"] }, more) },
    [["mcp__s__env"], ["mcp__s__value", { name: "TOKEN" }]],
    { env },
  );
  expect(outputs[0]?.split(" ").filter((name) => /KEY|TOKEN/.test(name))).toEqual(["ANTHROPIC_API_KEY", "TOKEN"]);
  expect(outputs[1]).toBe("s3/x");
});

const TOK = "C4NARY-C4NARY";

test("what variables put into command, args and address is in no notice, list or answer, and so are keys written down", async () => {
  const env = { PATH: process.env["PATH"], TOK, SMITH_NO_PROBE: "1" };
  const flags = ["--token", `\${TOK}`, "--api-key=L1TERAL", `--to=http://h/\${TOK}`];
  const failing = stdio({ exit: 7, stderr: `\${TOK} is wrong\n` });
  const echoing = stdio({ names: ["args", "raw"] });
  const { outputs, notices, runtime } = await play(
    {
      bad: { ...failing, args: [...failing.args, ...flags] },
      none: { command: `/none/\${TOK}` },
      far: { url: `http://127.0.0.1:1/\${TOK}` },
      s: { ...echoing, args: [...echoing.args, ...flags] },
    },
    [["mcp__s__args"], ["mcp__s__raw", { isError: true, content: [{ type: "text", text: "no L1TERAL" }] }]],
    { env },
  );
  expect(outputs[0]).toBe("--token *** --api-key=*** --to=http://h/***");
  expect(outputs[1]).toContain('"message":"no ***"');
  expect(notices.map((text) => text.split(" Its tools")[0])).toEqual([
    'The MCP server bad ended with exit code 7 before it was ready. Its last words: "*** is wrong".',
    'The MCP server none can\'t be started: there is no program "/none/***" (mcp_servers.none.command).',
    expect.stringMatching(/^The MCP server far at http:\/\/127\.0\.0\.1:1\/\$\{TOK\} can't be reached: /),
  ]);
  const { host } = await runtime.start();
  const shown = JSON.stringify([await host.mcp.list(), host.config.get("mcp_servers"), await runtime.diagnose()]);
  expect(/C4NARY|L1TERAL/.exec(shown)).toBe(null);
});

test("an address may come out of variables whole or in part, and is checked with them put in", async () => {
  const env = { SMITH_NO_PROBE: "1", ADDRESS: "ftp://127.0.0.1", PORT: "0x" };
  const { notices } = await play(
    { a: { url: `\${ADDRESS}` }, b: { url: `http://localhost:\${PORT}/mcp?k=1` }, c: { url: `\${GONE}/mcp` } },
    [],
    { env },
  );
  expect(notices.map((text) => text.split(" Its tools")[0])).toEqual([
    "mcp_servers.a.url: expected an http(s) address.",
    "mcp_servers.b.url is no address once its variables are put in.",
    `mcp_servers.c.url needs the variable GONE, which is not set. Set it, or write \${GONE:-a default}.`,
  ]);
});

test("a variable that is not set is named, and so is where it stands", async () => {
  const { notices } = await play({ s: stdio({}, { env: { TOKEN: `\${NOT_THERE}` } }) }, [], {
    env: { SMITH_NO_PROBE: "1" },
  });
  expect(notices).toEqual([
    `mcp_servers.s.env.TOKEN needs the variable NOT_THERE, which is not set. Set it, or write \${NOT_THERE:-a default}. Its tools are missing; smith mcp list tries again.`,
  ]);
});

test("enabled_tools and disabled_tools choose, and what can't be offered is left out with its reason", async () => {
  const odd = [
    { name: "s", inputSchema: { type: "string" } },
    { description: "no name" },
    { name: "ok", execution: { taskSupport: "optional" } },
    { name: "ok" },
    { name: "task", execution: { taskSupport: "required" } },
  ];
  const { requests, notices, runtime } = await play(
    {
      a: stdio({ names: ["x", "y"] }, { enabled_tools: ["x", "gone"] }),
      b: stdio({ names: ["x", "y"] }, { disabled_tools: ["x"] }),
      c: stdio({ tools: odd }),
    },
    [],
  );
  expect(offered(requests[0])).toEqual(["mcp__a__x", "mcp__b__greet", "mcp__b__y", "mcp__c__ok"]);
  expect(notices).toEqual([
    "Left out of the tools of the MCP server a: gone (enabled_tools names it, and the server has none of that name).",
    'Left out of the tools of the MCP server c: s (its arguments are no object but "string"), (one without a name) (its entry in the server\'s list has no name), ok (the server lists that name twice) and 1 more (smith mcp list).',
  ]);
  const { host } = await runtime.start();
  const rows = await host.mcp.list();
  expect(rows.map(({ name, status, server, tools }) => [name, status, server, tools.length])).toEqual([
    ["a", "ready", "test 1.2.3", 1],
    ["b", "ready", "test 1.2.3", 2],
    ["c", "ready", "test 1.2.3", 1],
  ]);
});

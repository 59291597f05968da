import { mkdirSync } from "node:fs";
import type { RecordedRequest, Script, ScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { conversationIn, model, type Place, place } from "./scene.ts";

/** The policy as the specification has it: D direct, O orchestrator, W worker, E explorer; `!` has side effects. */
const SPECIFIED: readonly (readonly [string, string, "!"?])[] = [
  ["bash", "D-WE", "!"],
  ["read", "DOWE"],
  ["code_map", "DOWE"],
  ["code_grep", "DOWE"],
  ["code_files", "DOWE"],
  ["code_symbols", "DOWE"],
  ["code_outline", "DOWE"],
  ["git", "-O--"],
  ["edit", "D-W-", "!"],
  ["write", "D-W-", "!"],
  ["web_search", "D-WE"],
  ["web_fetch", "D-WE"],
  ["note", "DO--"],
  ["dispatch", "DOW-"],
  ["record", "DO--"],
  ["recall", "DO--"],
  ["report", "--WE"],
  ["search", "DO--"],
  ["list_dir", "DOWE"],
  ["http_request", "D-WE", "!"],
  ["process_list", "D-W-"],
  ["disk_usage", "D-W-"],
  ["env_get", "D-W-"],
];
const ROLES = ["direct", "orchestrator", "worker", "explorer"] as const;
const MODES = ["full", "ask", "plan"] as const;
const WITH_EFFECTS = { full: "allow", ask: "ask", plan: "deny" } as const;

test("P6 P16 policy show --json is the specified table to the cell: 23 tools, 4 roles, 3 modes", async () => {
  const here = place();
  for (const mode of MODES) {
    const { code, stdout } = await here.run(["policy", "show", "--mode", mode, "--json"]);
    const cell = (letters: string, at: number, effects: boolean) =>
      letters[at] === "-" ? "deny" : effects ? WITH_EFFECTS[mode] : "allow";
    const expected = SPECIFIED.map(([tool, letters, effects]) => ({
      tool,
      side_effects: effects === "!" ? "some" : "none",
      roles: Object.fromEntries(ROLES.map((role, at) => [role, cell(letters, at, effects === "!")])),
    }));
    expect([code, JSON.parse(stdout)]).toEqual([0, expected]);
  }
});

interface ToolRow {
  readonly name: string;
  readonly side_effects: "none" | "some";
  readonly allowed: boolean;
  readonly rule: string;
}

async function toolsOf(here: Place, role: string, mode = "full"): Promise<readonly ToolRow[]> {
  return JSON.parse((await here.run(["tools", "--role", role, "--set", `mode=${mode}`, "--json"])).stdout) as ToolRow[];
}

const names = (rows: readonly ToolRow[]) => rows.map(({ name }) => name);
const bodyOf = (request: RecordedRequest | undefined) =>
  (request?.body ?? {}) as { messages?: { content: string }[]; tools?: { function: { name: string } }[] };
const offeredIn = (llm: ScriptedLlm, at: number) =>
  bodyOf(llm.requests[at]).tools?.map((tool) => tool.function.name) ?? [];

const REPORT = { call: [{ id: "r1", name: "report", args: { status: "ok", summary: "done" } }] };

/** A script in which `role` makes these calls first: by itself, or as a job of direct. */
function scriptFor(role: string, calls: readonly { id: string; name: string; args: unknown }[]): Script {
  if (role === "direct" || role === "orchestrator") return [{ call: calls }, { say: "done" }];
  const job = { id: "d1", name: "dispatch", args: { target_role: role, task: "try" } };
  return { direct: [{ call: [job] }, { say: "done" }], [role]: [{ call: calls }, REPORT] };
}

for (const role of ROLES) {
  test(`P7 P8 P9 ${role} is offered exactly what it may call; each other tool that exists is refused, not run`, async () => {
    const here = place();
    const rows = await toolsOf(here, role);
    const column = ROLES.indexOf(role);
    const specified = new Map(SPECIFIED.map(([tool, letters]) => [tool, letters[column] !== "-"]));
    const allowed = rows.filter(({ allowed }) => allowed);
    const denied = rows.filter(({ allowed }) => !allowed);
    expect(rows.filter(({ name }) => !specified.has(name))).toEqual([]);
    expect(allowed.filter(({ name }) => specified.get(name) !== true)).toEqual([]);
    const off = (rule: string) => rule.includes("is off unless named there");
    expect(denied.filter(({ name, rule }) => specified.get(name) === true && !off(rule))).toEqual([]);
    const calls = denied.map(({ name }, at) => ({ id: `c${at}`, name, args: {} }));
    const llm = await model(scriptFor(role, [...calls, { id: "cx", name: "no_such_tool", args: {} }]));
    const flags = ["--set", `llm_config.api_url=${llm.url}`, "--model", "m"];
    const user = role === "orchestrator" ? role : "direct";
    const { code, stderr } = await here.run(["-p", "go", "--role", user, ...flags]);
    expect([code, stderr.includes("internal")]).toEqual([0, false]);
    const [first = -1, second = -1] = llm.requests.flatMap((request, at) => (request.role === role ? [at] : []));
    expect(offeredIn(llm, first).toSorted()).toEqual(names(allowed).toSorted());
    const results = conversationIn(llm.requests[second]).filter(({ role: who }) => who === "tool");
    const told = results.map(({ content }) => (JSON.parse(content ?? "") as { error: Refusal }).error);
    const list = names(allowed).join(", ");
    expect(
      told.map(({ kind, code, message }) => [kind, code, message.replace(/ \([^)]*\)\. Allowed/, ". Allowed")]),
    ).toEqual([
      ...denied.map(({ name, rule }) => ["policy", "tool_denied", `${name} is denied: ${rule}. Allowed: ${list}.`]),
      ["tool", "unknown_tool", `unknown_tool: no_such_tool. The tools are: ${list}.`],
    ]);
  });
}

interface Refusal {
  readonly kind: string;
  readonly code: string;
  readonly message: string;
}

/** Fits no tool, and is refused before anybody looks. */
const WRITE = { id: "w1", name: "write", args: { path: "made.txt", content: "x" } };
const BASH = { id: "b1", name: "bash", args: { command: "touch made.txt" } };

for (const mode of ["ask", "plan"] as const) {
  test(`P6 in mode ${mode} nothing with side effects runs where nobody can be asked, in jobs neither`, async () => {
    const job = { id: "d1", name: "dispatch", args: { target_role: "worker", task: "try" } };
    const llm = await model({
      direct: [{ call: [WRITE, BASH] }, { call: [job] }, { say: "done" }],
      worker: [{ call: [WRITE, BASH] }, REPORT],
    });
    const here = place({ config: llm.config });
    mkdirSync(`${here.cwd}/.keep`);
    const run = await here.run(["-p", "go", "--mode", mode, "--output", "jsonl"]);
    const { code, stderr } = run;
    const hints = stderr.split("\n").filter((line) => line.startsWith("smith: mode "));
    const planned =
      'smith: mode plan: nothing was changed. smith -c --mode full -p "carry it out" does what was planned.';
    const unasked =
      "smith: mode ask: 4 calls were refused, since nobody can be asked here. On a terminal smith asks; --mode full runs them unasked.";
    expect([code, hints]).toEqual([0, [mode === "plan" ? planned : unasked]]);
    expect(stderr.split("\n").filter((line) => line.includes("touch made.txt refused: bash "))).toHaveLength(2);
    const told = run.events().flatMap((event) => (event.type === "tool_call_refused" ? [event] : []));
    expect(told.map(({ tool, args, source_role }) => [source_role, tool, args])).toEqual([
      ...[undefined, "worker"].flatMap((role) => [
        [role, "write", WRITE.args],
        [role, "bash", BASH.args],
      ]),
    ]);
    const refusals = (at: number) =>
      conversationIn(llm.requests[at])
        .filter(({ role }) => role === "tool")
        .map(({ content }) => (JSON.parse(content ?? "") as { error: Refusal }).error);
    const roles = llm.requests.map(({ role }) => role);
    expect(roles).toEqual(["direct", "direct", "worker", "worker", "direct"]);
    for (const at of [1, 3]) {
      const why = refusals(at);
      expect(why.map((error) => [error.kind, error.code])).toEqual(
        Array(2).fill(["policy", mode === "ask" ? "not_confirmed" : "tool_denied"]),
      );
      if (mode === "ask") {
        expect(why.map(({ message }) => message)).toEqual(
          ["write", "bash"].map(
            (tool) =>
              `${tool} needs the user's yes in mode ask, and nobody can be asked here: it was not run. Go on without it, or tell the user that it can be confirmed in smith on a terminal, and that --mode full runs it unasked.`,
          ),
        );
      }
    }
    expect(() => here.read("made.txt")).toThrow("ENOENT");
    const effects = (await toolsOf(here, "direct", "full")).filter((row) => row.allowed && row.side_effects === "some");
    const offered = offeredIn(llm, 0);
    expect(names(effects).filter((name) => offered.includes(name))).toEqual(mode === "ask" ? names(effects) : []);
  });
}

test("P5 P10 policy explain says which rule decides, and where it stands", async () => {
  const here = place();
  const explain = async (...args: string[]) => {
    const { code, stdout, stderr } = await here.run(["policy", "explain", ...args]);
    return code === 0 && args.includes("--json") ? JSON.parse(stdout) : [code, stdout, stderr];
  };
  expect([
    await explain("orchestrator", "bash"),
    await explain("orchestrator", "bash", "--json"),
    await explain("direct", "list_dir", "--json"),
    await explain("direct", "bash", "--set", "mode=plan", "--json"),
    await explain("direct", "toString", "--json"),
    await explain("root", "bash"),
    await explain("direct"),
  ]).toEqual([
    [0, "deny: orchestrator may not call bash (role matrix)\n", ""],
    {
      ...{ role: "orchestrator", tool: "bash", decision: "deny", source: "role matrix" },
      rule: "orchestrator may not call bash",
    },
    {
      ...{ role: "direct", tool: "list_dir", decision: "deny", source: "services.tool.extra" },
      rule: "list_dir is off unless named there",
    },
    {
      ...{ role: "direct", tool: "bash", decision: "deny", source: "session mode" },
      rule: "bash has side effects: off in mode plan",
    },
    {
      ...{ role: "direct", tool: "toString", decision: "deny", source: "role matrix" },
      rule: "toString has no row, so nobody may call it",
    },
    [2, "", 'smith: There is no role "root". The roles are: direct, orchestrator, worker, explorer.\n'],
    [
      2,
      "",
      "smith: policy explain direct: that does not fit. usage: policy show [--mode M] [--json]  |  policy explain ROLE TOOL [--json]  (smith policy --help tells more)\n",
    ],
  ]);
});

test("K7 custom roles stand in policy show beside their base; --role takes one, and names those there are for any other", async () => {
  const llm = await model([{ say: "Looked." }]);
  const here = place({
    config: llm.config,
    files: {
      ".smith/roles/reviewer.md": "---\nbase: direct\ntools: read, code_grep\n---\nYou review.",
      ".smith/roles/broken.md": '---\nbase: boss\n"\\e[2Jkey": 1\n---\n', // an escape sequence
    },
  });
  const warning = new RegExp(`^smith: ${here.cwd}/.smith/roles/broken.md:2 is left out: base: [^\n]*\n$`);
  const shown = await here.run(["policy", "show"]);
  expect(shown.stdout.split("\n").slice(0, 5)).toEqual([
    "mode full",
    "              direct       orchestrator worker       explorer     reviewer",
    "made of                                                           direct",
    "bash          ✓            ✗            ✓            ✓            ✗",
    "read          ✓            ✓            ✓            ✓            ✓",
  ]);
  expect(shown.stderr).toMatch(warning);
  expect(shown.stderr).toMatch(/; there is no key key\.\n$/);
  const run = await here.run(["-p", "look", "--role", "reviewer"]);
  expect([run.code, run.stdout, offeredIn(llm, 0)]).toEqual([0, "Looked.\n", ["read", "code_grep"]]);
  const unknown = await here.run(["-p", "look", "--role", "broken"]);
  expect([unknown.code, unknown.stderr.split(". ")[0]]).toEqual([
    2,
    'smith: active_role is "broken": expected one of direct, orchestrator, reviewer',
  ]);
  expect(unknown.stderr).toContain("broken.md:2 is left out");
});

test("TL49 services.tool.enabled takes tools away from the request, and extra never adds one the role may not have", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const here = place({ config: llm.config });
  await here.run(["-p", "go", "--set", 'services.tool.enabled=["read","git","nope"]']);
  await here.run(["-p", "go", "--set", 'services.tool.extra=["git","report"]']);
  expect(offeredIn(llm, 0)).toEqual(["read"]);
  expect(offeredIn(llm, 1).filter((name) => ["git", "report"].includes(name))).toEqual([]);
});

/** Tokens, bytes/4, of system prompt and tool specs. */
const BUDGET = { direct: 3000, orchestrator: 2600, worker: 2600, explorer: 2000 } as const;

test("PR2 PR7 the first request of each role stays within its budget of prompt and tool specs", async () => {
  const rows: (readonly [string, number, number, number])[] = [];
  for (const role of ROLES) {
    const llm = await model(firstOf(role));
    const here = place({ config: llm.config });
    await here.run(["-p", "go", "--role", role === "orchestrator" ? role : "direct"]);
    const { messages, tools } = bodyOf(llm.requests.find((request) => request.role === role));
    const bytes = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);
    rows.push([role, bytes(messages?.[0]?.content ?? ""), bytes(JSON.stringify(tools ?? [])), BUDGET[role]]);
  }
  const line = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padEnd(14)).join("");
  const table = rows.map(([role, prompt, specs, most]) => line([role, prompt, specs, prompt + specs, most]));
  process.stdout.write(`${[line(["bytes/4 of", "prompt", "tool specs", "both", "at most"]), ...table].join("\n")}\n`);
  expect(rows.filter(([, prompt, specs, most]) => prompt + specs > most)).toEqual([]);
});

/** A script in which the role is asked once. */
function firstOf(role: string): Script {
  if (role === "direct" || role === "orchestrator") return [{ say: "done" }];
  const job = { id: "d1", name: "dispatch", args: { target_role: role, task: "try" } };
  return { direct: [{ call: [job] }, { say: "done" }], [role]: [REPORT] };
}

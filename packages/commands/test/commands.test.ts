import { expect, test } from "vitest";
import { COMMANDS, findCommand, runSlash } from "../src/index.ts";
import { memoryHost } from "./host.ts";

/** name: doors, flags, and the words that may come first. Commands that are not in it yet are not looked at. */
const SPECIFIED: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  help: ["slash", "", COMMANDS.filter(({ doors }) => doors.includes("slash")).map(({ name }) => name)],
  config: ["slash cli", "", ["get", "set", "unset", "explain", "list", "path", "template"]],
  role: ["slash", "", ["direct", "orchestrator"]],
  mode: ["slash", "", ["full", "ask", "plan"]],
  model: ["slash", "", []],
  tools: ["slash cli", "--role R, --json", []],
  policy: ["slash cli", "--mode M, --json", ["show", "explain"]],
  sessions: [
    "slash cli",
    "--children, --all, --context, --undone, --format FORMAT, --turn TURN_ID, --json",
    ["list", "show", "export", "rename", "delete", "fork"],
  ],
  search: ["slash cli", "--kind KIND, --role R, --all, --limit N, --rebuild, --json", []],
  memory: ["slash", "", ["list", "show", "delete"]],
  recall: ["slash", "", ["plan"]],
  resume: ["slash", "", []],
  rename: ["slash", "", []],
  clear: ["slash", "", []],
  new: ["slash", "", []],
  exit: ["slash", "", []],
};

const NO_SESSIONS = "No sessions of this project are stored; --all lists every project's.";

test("K4 each command has its doors, flags and first words", async () => {
  const host = memoryHost();
  const rows = COMMANDS.filter(({ name }) => Object.hasOwn(SPECIFIED, name)).map(async (command) => {
    const flags = (command.flags ?? []).map(({ name, value }) => `--${name}${value === undefined ? "" : ` ${value}`}`);
    const words = (await command.complete?.([""], host)) ?? [];
    return [command.name, [command.doors.join(" "), flags.join(", "), words]] as const;
  });
  const got = await Promise.all(rows);
  expect(Object.fromEntries(got)).toEqual(SPECIFIED);
});

test("K4 each command of the table has a summary, a usage and an example that begins with its name; no name comes twice", () => {
  const names = COMMANDS.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
  expect(new Set(names).size).toBe(names.length);
  const odd = COMMANDS.filter(
    ({ name, summary, usage, example, doors }) =>
      summary === "" || /[.]$/.test(summary) || usage.length === 0 || doors.length === 0 || !example.startsWith(name),
  );
  expect(odd.map(({ name }) => name)).toEqual([]);
  for (const name of ["exit", "quit", "q"]) expect(findCommand(name, "slash")?.name).toBe("exit");
  for (const name of ["quit", "role", "toString", "__proto__"]) expect(findCommand(name, "cli")).toBe(undefined);
});

test("C15 completion after /config set and unset offers what may be set, after get and explain everything, then nothing", () => {
  const complete = (...words: string[]) => findCommand("config", "slash")?.complete?.(words, memoryHost());
  expect([complete("set", ""), complete("unset", "m"), complete("get", ""), complete("explain", "")]).toEqual([
    ["max_rounds"],
    ["max_rounds"],
    ["max_rounds", "plugins"],
    ["max_rounds", "plugins"],
  ]);
  expect([complete("set", "max_rounds", ""), complete()]).toEqual([[], SPECIFIED["config"]?.[2]]);
});

test("U21 K11 /models shows forty rows and says what is left out; words narrow them; --json has all, and what failed apart", async () => {
  const host = memoryHost();
  const lines = async (rest: string) => (await runSlash("models", rest, host)).say.split("\n");
  const notes = ["big: listed 50 just now", "far: no list; asked now: nothing listens"];
  const all = await lines("");
  expect([all.length, all[0], ...all.slice(40)]).toEqual([
    ...[43, "big:m0       8k  $1 in, $2 out per million tokens"],
    "[10 more of 50; narrow them with words of their names, as /models claude]",
    ...notes,
  ]);
  const found = ["m14", "m41"].map((id) => `big:${id}      8k  $1 in, $2 out per million tokens`);
  expect(await lines("4 Big M 1")).toEqual([...found, "2 of 50 models", ...notes]);
  expect(await lines("gpt")).toEqual(["none of 50 models has all these words in its name", ...notes]);
  const whole = await findCommand("models", "cli")?.run({ words: [], flags: { json: true } }, host);
  expect(whole?.data).toHaveLength(50);
  expect([whole?.notes, whole?.say.split("\n").length]).toEqual([[notes[1]], 52]);
});

test("U16 U19 U20 U24 what each command says, and the same as data", async () => {
  const host = memoryHost();
  const answer = (name: string, rest = "") => runSlash(name, rest, host);
  expect([
    await answer("config", "get max_rounds"),
    await answer("config", "get temperature"),
    await answer("config"),
    await answer("config", "set max_rounds 7"),
    await answer("config", "unset max_rounds"),
    await answer("config", "list"),
    await answer("config", "path"),
    await answer("role"),
    await answer("role", "orchestrator"),
    await answer("mode"),
    await answer("mode", "plan"),
    await answer("model").catch((error: Error) => ({ thrown: error.message })), // the door shows it
    await answer("model", "m2"),
    await answer("new"),
    await answer("clear"),
    await answer("save", "the parser"),
    await answer("load"),
    await answer("list"),
    await answer("q"),
  ]).toEqual([
    { say: "5", data: 5 },
    { ok: false, say: "temperature is not set.", data: null },
    { say: '{\n  "max_rounds": 5\n}', data: { max_rounds: 5 } },
    { say: 'max_rounds = "7", from the next turn on.' },
    { say: "max_rounds is unset." },
    {
      say: "* can be set at run time\n* max_rounds  Model calls a turn may make\n  plugins     Plugins to load",
      data: host.config.paths(),
    },
    {
      say: "user      /home/config.json\nproject   -\ndatabase  /home/smith.db",
      data: { user: "/home/config.json", project: null, database: "/home/smith.db" },
    },
    { say: "role direct (direct, orchestrator)", data: { role: "direct", roles: host.policy.roles() } },
    { say: "role orchestrator, from the next turn on." },
    { say: "mode full (full, ask, plan)", data: { mode: "full" } },
    { say: "mode plan, from the next turn on." },
    { thrown: "no model is set." },
    {
      say: "model m2 of default (override)",
      data: { model: "m2", provider: "default", source: "override" },
    },
    { say: "A fresh conversation begins with your next line." },
    { say: "There is nothing to empty yet." },
    { ok: false, say: "There is nothing to name yet: a session begins with its first line." },
    { say: NO_SESSIONS, data: [] },
    { say: NO_SESSIONS, data: [] },
    { say: "", exit: 0 },
  ]);
  expect(host.calls.slice(2)).toEqual([
    'use {"role":"orchestrator"}',
    'use {"mode":"plan"}',
    'use {"model":"m2"}',
    "start afresh",
  ]);
});

test("PS12 U22 /search, /memory and /recall show what is kept; a query is any text, and what is no flag of theirs is said", async () => {
  const host = memoryHost();
  const answer = async (line: string) => {
    const [name = "", rest = ""] = line.split(/ (.*)/s);
    const { say, ok = true } = await runSlash(name, rest, host);
    return [line, ok, ...say.split("\n").map((each) => each.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "AT"))];
  };
  const hit = ["note  AT  note/c1/plan", "    first"];
  const usage =
    "usage: search QUERY [--kind KIND] [--role R] [--all] [--limit N] [--json]  |  search --rebuild  (/help search tells more)";
  const MORE = "  (/help search tells more)";
  const lines = [
    "search a:b (c --kind note --role user --all --limit 3",
    "search the",
    "search nothing",
    "search and",
    "search",
  ];
  lines.push("search --kind x y", "search --limit 0 y", "search --rebuild", "search --flag", "search -- --flag -v");
  lines.push(
    "memory",
    "memory show m1",
    "memory show m2",
    "memory delete m1",
    "memory drop",
    "recall",
    "recall the plan",
  );
  expect(await Promise.all([...lines, "recall x"].map(answer))).toEqual([
    [lines[0], true, ...hit],
    [
      lines[1],
      true,
      "[too common a word to weigh its hits: the newest come first]",
      ...hit,
      "[there are more; add a word, or raise --limit]",
    ],
    [lines[2], true, "Nothing in this project has all these words; --all looks in every project."],
    [
      lines[3],
      true,
      "Nothing in this project has all these words; --all looks in every project.",
      "[so common a word: only its newest 150,000 hits were looked at; add a word]",
    ],
    [lines[4], false, `/search: something is missing. ${usage}`],
    [lines[5], false, `--kind x: expected message, memory, report, note.${MORE}`],
    [lines[6], false, `--limit 0: expected a whole number from 1 to 1000.${MORE}`],
    [lines[7], true, "The index was made anew: 7 entries."],
    [lines[8], false, `search has no flag --flag. ${usage}`],
    [lines[9], true, ...hit],
    [lines[10], true, "m1  use pnpm"],
    [lines[11], true, "", "use pnpm", "always"],
    [lines[12], false, 'This project has no memory "m2". /memory lists them.'],
    [lines[13], true, "deleted m1"],
    [
      lines[14],
      false,
      "/memory drop: that does not fit. usage: memory [list]  |  memory show ID  |  memory delete ID  (/help memory tells more)",
    ],
    [lines[15], true, "plan  (5 characters)"],
    [lines[16], true, "first"],
    ["recall x", false, 'There is no key "x" in this session. /recall lists them.'],
  ]);
  expect(host.calls.filter((call) => call.includes("--flag") || call.includes("a:b"))).toEqual([
    'search {"text":"a:b (c","kind":"note","role":"user","limit":3,"all":true}',
    'search {"text":"--flag -v","kind":null,"role":null,"limit":20,"all":false}',
  ]);
});

test("P5 /tools, /policy and /config explain as lines and as data", async () => {
  const host = memoryHost();
  const answer = async (name: string, rest = "") => (await runSlash(name, rest, host)).say.split("\n");
  expect([
    await answer("tools"),
    await answer("tools", "--role orchestrator"),
    await answer("policy"),
    await answer("policy", "show --mode ask"),
    await answer("policy", "explain orchestrator bash"),
    await answer("config", "explain max_rounds"),
    await answer("config", "explain temperature"),
  ]).toEqual([
    ["tools of direct", "✓ read                   the role may call read", "✓ bash          effects  direct and bash"],
    [
      "tools of orchestrator",
      "✓ read                   the role may call read",
      "✗ bash          effects  orchestrator and bash",
    ],
    ["mode full", "              direct       orchestrator", "bash          ✓            ✗"],
    ["mode ask", "              direct       orchestrator", "bash          ask          ✗"],
    ["deny: orchestrator may not (role matrix)"],
    ["max_rounds = 5", "  defaults  1", "→ user      5  /home/config.json:3"],
    ["temperature = (unset)"],
  ]);
  const { data } = await runSlash("config", "explain max_rounds", host);
  expect(data).toEqual(await host.config.explain("max_rounds"));
});

test("U15 /help lists every slash command with its aliases", async () => {
  const { say, data } = await runSlash("help", "", memoryHost());
  const names = COMMANDS.filter(({ doors }) => doors.includes("slash")).map(({ name }) => name);
  expect((data as { name: string }[]).map(({ name }) => name)).toEqual(names);
  const lines = say.split("\n");
  expect(lines.map((line) => line.split(/[ ,]/)[0])).toEqual([...names.map((name) => `/${name}`), "Anything"]);
  expect(lines.find((line) => line.startsWith("/exit"))).toMatch(/^\/exit, \/quit, \/q +leave$/);
});

test("K11 /doctor shows each check with its mend below it, and is not ok when one is broken", async () => {
  const checks = [
    { name: "node", ok: true, detail: "20.19.0", mend: null },
    { name: "terminal", ok: true, detail: "dumb", mend: "Set TERM." },
    { name: "model", ok: false, detail: "none is set", mend: "one way\nanother" },
  ];
  const host = { ...memoryHost(), doctor: { checks: async () => checks } };
  expect(await runSlash("doctor", "", host)).toEqual({
    say: [
      "✓ node      20.19.0",
      "! terminal  dumb",
      "            → Set TERM.",
      "✗ model     none is set",
      "            → one way",
      "            → another",
      "1 of 3 checks found something broken.",
    ].join("\n"),
    data: { checks },
    ok: false,
  });
});

test("U23 /sessions and /resume show the ten newest and how many are older; /sessions list and smith sessions show all", async () => {
  const stored = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: `c${at}`, name: `talk ${at}`, project_id: "p", parent: null, turns: 1, messages: 2 },
    ...{ created_at: 0, updated_at: 0, emptied: false },
  }));
  const host = memoryHost();
  const full = { ...host, sessions: { ...host.sessions, list: async () => stored } };
  const lines = async (name: string, rest: string) => (await runSlash(name, rest, full)).say.split("\n");
  const bare = await lines("sessions", "");
  expect([bare.length, bare[0]?.slice(0, 3), bare.at(-1)]).toEqual([
    11,
    "c0 ",
    "and 2 older: /sessions list shows all of them.",
  ]);
  expect([await lines("resume", ""), (await lines("sessions", "list")).length]).toEqual([bare, 12]);
});

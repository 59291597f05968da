import { expect, test } from "vitest";
import { conversationIn, model, place } from "./scene.ts";

const said = (request: Parameters<typeof conversationIn>[0]) => conversationIn(request).map(({ content }) => content);

/** The rows of `sessions list --json`. */
async function listed(here: ReturnType<typeof place>, ...flags: string[]) {
  const { stdout } = await here.run(["sessions", "list", "--json", ...flags]);
  return JSON.parse(stdout) as { id: string; name: string; turns: number; parent: string | null }[];
}

test("K7 U23 S6 -c goes on with the newest session, --resume with one by its beginning, -p alone starts afresh; an unknown one is exit 1", async () => {
  const llm = await model([{ say: "a1" }, { say: "b1" }, { say: "b2" }, { say: "a2" }]);
  const here = place({ config: llm.config });
  const empty = await here.run(["-c", "-p", "first of a"]);
  expect(empty.stderr).toContain("there is no conversation to go on with here; starting a new one.");
  await here.run(["-p", "first of b"]);
  await here.run(["-c", "-p", "second of b"]);
  const a = (await listed(here)).find(({ name }) => name === "first of a")?.id ?? "";
  const resumed = await here.run(["--resume", a.slice(0, 6), "-p", "second of a", "--output", "json"]);
  expect(resumed.json()).toMatchObject({ conversation_id: a, turn_id: "t2", text: "a2", persisted: true });
  expect(llm.requests.map(said)).toEqual([
    ["first of a"],
    ["first of b"],
    ["first of b", "b1", "second of b"],
    ["first of a", "a1", "second of a"],
  ]);
  const unknown = await here.run(["--resume", "zzzz", "-p", "x"]);
  expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  const both = await here.run(["--resume", a, "--fork", a, "-p", "x"]);
  expect([both.code, both.stderr]).toEqual([2, "smith: --resume and --fork exclude each other. Give one of them.\n"]);
});

test("fault 11 a session in which another process is at work is exit 2 with its pid; --fork goes on in a copy", async () => {
  const llm = await model([{ say: "one" }, { stall: true, say: "thinking" }, { say: "other" }]);
  const here = place({ config: llm.config });
  await here.run(["-p", "first"]);
  const [session] = await listed(here);
  const id = session?.id ?? "";
  const busy = here.smith(["-c", "-p", "second", "--output", "jsonl"]);
  await busy.said("thinking");
  for (const flags of [["-c"], ["--resume", id]]) {
    const refused = await here.run([...flags, "-p", "me too"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain(
      `a turn running in process ${busy.pid}. Wait until it ends, or go on in a copy with --fork`,
    );
  }
  const shell = await here.run(["-c"], { stdin: "me too\n" });
  expect([shell.code, shell.stdout]).toEqual([2, ""]);
  const fork = await here.run(["--fork", id, "-p", "elsewhere", "--output", "json"]);
  expect(fork.stderr).toMatch(/smith: going on in \w+ \(first \(fork\)\)/);
  expect(said(llm.requests[2])).toEqual(["first", "one", "elsewhere"]);
  busy.kill("SIGKILL");
  await busy.ended;
  expect((await listed(here)).map(({ id, turns }) => [id, turns])).toEqual([
    [fork.json().conversation_id, 2],
    [id, 2],
  ]);
});

test("cli.md sessions lists, shows, exports, renames, forks and deletes; a fork prints the new id", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const here = place({ config: llm.config });
  await here.run(["-p", "fix the parser"]);
  await here.run(["-c", "-p", "and the tests"]);
  const [session] = await listed(here);
  const id = session?.id ?? "";
  const out = async (...args: string[]) => (await here.run(["sessions", ...args])).stdout;
  expect(await out("rename", id, "the", "parser")).toBe(`renamed ${id}: the parser\n`);
  const copy = (await out("fork", id.slice(0, 6), "--turn", "t1")).trim();
  expect((await listed(here)).map(({ id, name, turns }) => [id, name, turns])).toEqual([
    [copy, "the parser (fork)", 1],
    [id, "the parser", 2],
  ]);
  const md = await out("export", copy);
  expect(md).toContain("# the parser (fork)");
  expect(md).toContain("## User\n\nfix the parser\n\n## Smith\n\none");
  const lines = (await out("export", id, "--format", "jsonl")).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
    "meta",
    ...Array(4).fill("message"),
  ]);
  expect(JSON.parse(await out("export", id, "--format", "json"))).toEqual(JSON.parse(await out("show", id, "--json")));
  expect(await out("show", id, "--context")).toContain("> and the tests");
  expect(await out("delete", copy)).toBe(`deleted ${copy}: the parser (fork)\n`);
  expect(await listed(here)).toHaveLength(1);
  const bad = await here.run(["sessions", "export", id, "--format", "pdf"]);
  expect([bad.code, bad.stderr]).toEqual([
    2,
    "smith: --format pdf: expected md, jsonl, json.  (smith sessions --help tells more)\n",
  ]);
});

test("PS19 a killed turn is recovered by the next -c, which tells it in one line and as an event", async () => {
  const llm = await model([
    { call: [{ id: "k", name: "bash", args: { command: "touch begun; sleep 60" } }] },
    { say: "went on" },
  ]);
  const here = place({ config: llm.config });
  const first = here.smith(["-p", "work"]);
  await first.made("begun");
  first.kill("SIGKILL");
  await first.ended;
  const next = await here.run(["-c", "-p", "and now?", "--output", "jsonl"]);
  const told =
    "recovered t1, which its process did not finish: 1 round kept, cut off: bash (unknown). Nothing is run again by itself.";
  expect([next.code, next.json().text, next.json().notices]).toEqual([0, "went on", [{ level: "warn", text: told }]]);
  expect(next.stderr).toContain(`smith: ${told}`);
  expect(next.events().filter(({ type }) => type === "turn_recovered")).toMatchObject([
    { turn_id: "t1", open_calls: 1 },
  ]);
  expect(said(llm.requests[1])[2]).toMatch(
    /^interrupted: the process ended before this call finished\nmutation_state: unknown/,
  );
});

test("PS19 turns of killed processes are all completed by the next start in their project, whatever session that goes on with", async () => {
  const wait = (mark: string) => ({ call: [{ id: "k", name: "bash", args: { command: `touch ${mark}; sleep 60` } }] });
  const llm = await model([{ say: "old" }, wait("one"), wait("two"), { say: "fresh" }, { say: "again" }]);
  const here = place({ config: llm.config });
  await here.run(["-p", "to go on with"]);
  const kept = (await listed(here))[0]?.id ?? "";
  const start = async (mark: string) => {
    const run = here.smith(["-p", "work", "--new"]);
    await run.made(mark);
    return run;
  };
  const running = [await start("one"), await start("two")];
  for (const run of running) run.kill("SIGKILL");
  await Promise.all(running.map((run) => run.ended));
  const killed = (await listed(here)).map(({ id }) => id).filter((id) => id !== kept);
  const [next, later] = [await here.run(["-p", "else", "--resume", kept]), await here.run(["-p", "more", "--new"])];
  expect([next.stdout, later.stdout]).toEqual(["fresh\n", "again\n"]);
  const told = (stderr: string) => [...stderr.matchAll(/recovered t1 of session (\S+),/g)].map(([, id]) => id);
  expect([told(next.stderr).sort(), told(later.stderr)]).toEqual([killed.sort(), []]);
});

test("PS19 a shell and a fork recover a killed turn when they enter it, and say so", async () => {
  const command = (n: number) => ({ command: `touch begun${n}; sleep 60` });
  const llm = await model([
    { call: [{ id: "k", name: "bash", args: command(1) }] },
    { say: "went on" },
    { call: [{ id: "k", name: "bash", args: command(2) }] },
  ]);
  const here = place({ config: llm.config });
  const killed = async (n: number, ...flags: string[]) => {
    const run = here.smith([...flags, "-p", "work"]);
    await run.made(`begun${n}`);
    run.kill("SIGKILL");
    await run.ended;
  };
  await killed(1);
  const shell = await here.run(["-c"], { stdin: "and now?\n" });
  expect([shell.code, shell.stdout]).toEqual([0, "went on\n"]);
  expect(shell.stderr).toMatch(/^smith: recovered t1, which its process did not finish: .*bash \(unknown\)/);
  await killed(2, "-c");
  const id = (await listed(here))[0]?.id ?? "";
  const copy = (await here.run(["sessions", "fork", id])).stdout.trim();
  expect((await listed(here)).map(({ id, turns }) => [id, turns])).toEqual([
    [copy, 3],
    [id, 3],
  ]);
  expect((await here.run(["sessions", "show", copy])).stdout).toContain("mutation_state: unknown");
});

import { join } from "node:path";
import type { Step } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { storedUsage } from "./delegation-usage.ts";
import type { Ended, Running } from "./running.ts";
import { conversationIn, model, type Place, place } from "./scene.ts";

const numbers = [1, 2, 3, 4];
const dispatch = (id: string, target_role: string) => ({
  id,
  name: "dispatch",
  args: { target_role, task: `Task ${id}.` },
});
const bash = (id: string, command: string) => ({ id, name: "bash", args: { command } });
const report = (id: string, summary: string) => ({ id, name: "report", args: { status: "ok", summary } });

/** Four workers that have written a file and then sleep, four explorers that sleep. */
const EIGHT = {
  direct: [{ call: numbers.flatMap((n) => [dispatch(`w${n}`, "worker"), dispatch(`e${n}`, "explorer")]) }],
  worker: numbers.map((n) => ({
    call: [
      { id: `f${n}`, name: "write", args: { path: `w${n}.txt`, content: `${n}\n` } },
      bash(`s${n}`, `touch begun-w${n}; sleep 40; touch late`),
    ],
  })),
  explorer: numbers.map((n) => ({ call: [bash(`t${n}`, `touch begun-e${n}; sleep 40; touch late`)] })),
};

/** A smith whose eight children are all in a command. */
async function eightInTools(
  then: readonly Step[] = [],
): Promise<{ here: Place; run: Running; requests: () => readonly { role: string }[] }> {
  const llm = await model({ ...EIGHT, direct: [...EIGHT.direct, ...then] });
  const here = place({ config: llm.config });
  const run = here.smith(["-p", "go", "--output", "json"]);
  for (const n of numbers) {
    await run.made(`begun-w${n}`);
    await run.made(`begun-e${n}`);
  }
  return { here, run, requests: () => llm.requests };
}

async function interrupt(run: Running): Promise<{ end: Ended; ms: number }> {
  const exited = new Promise<number>((resolve) => run.child.once("exit", () => resolve(performance.now())));
  const sent = performance.now();
  run.kill("SIGINT");
  const ms = (await exited) - sent;
  return { end: await run.ended, ms };
}

describe("eight children in tools and a Ctrl-C", () => {
  test("D8 E5 B48 fault 189 exit 130 in a moment, every node stopped, no process left, the account true to what each tool did", async ({
    annotate,
  }) => {
    const times: number[] = [];
    while (times.length < 3 && !times.some((ms) => ms < 800)) {
      const { here, run, requests } = await eightInTools();
      const { end, ms } = await interrupt(run);
      times.push(Math.round(ms));
      expect([end.code, await here.leftBehind(), requests().length]).toEqual([130, [], 9]);
      const result = end.json();
      expect([result.stop_reason, result.error?.message, result.persisted]).toEqual(["cancelled", "ctrl-c", true]);
      const cut = [{ tool: "bash", mutation_state: "unknown" }];
      const { reason, nodes } = result.cancel ?? expect.fail("there is no account");
      const told = nodes.map(({ role, calls, files_changed }) => ({ role, calls, files_changed }));
      expect([reason, told[0]]).toEqual(["ctrl-c", { role: "direct", calls: [], files_changed: [] }]);
      const workers = told.filter(({ role }) => role === "worker");
      expect(workers.toSorted((a, b) => String(a.files_changed).localeCompare(String(b.files_changed)))).toEqual(
        numbers.map((n) => ({ role: "worker", calls: cut, files_changed: [join(here.cwd, `w${n}.txt`)] })),
      );
      expect(told.filter(({ role }) => role === "explorer")).toEqual(
        numbers.map(() => ({ role: "explorer", calls: cut, files_changed: [] })),
      );
      expect(nodes.length).toBe(9);
      const dispatches = result.dispatches.map(({ target_role, status, cancelled, synthetic }) =>
        [target_role, status, cancelled, synthetic].join(" "),
      );
      expect(dispatches).toEqual(numbers.flatMap(() => ["worker partial true true", "explorer partial true true"]));
      expect(nodes.slice(1).map(({ job_id }) => job_id)).toEqual(result.dispatches.map(({ job_id }) => job_id));
    }
    await annotate(`SIGINT to exit: ${times.join(", ")} ms (aim: 800)`);
    expect(Math.min(...times)).toBeLessThan(1_500);
  });

  test("D8 B54 the conversation goes on afterwards: every dispatch has its one result", async () => {
    const { here, run } = await eightInTools([{ say: "Yes?" }]);
    await interrupt(run);
    const second = await here.run(["-p", "go on", "-c", "--output", "json"]);
    expect([second.code, second.json().text]).toEqual([0, "Yes?"]);
  });
});

const NESTED = {
  direct: [{ call: [dispatch("a", "worker"), dispatch("b", "explorer")] }, { say: "Done." }],
  worker: [{ call: [dispatch("x", "explorer")] }, { call: [report("r", "Changed it.")] }],
  explorer: [{ call: [report("r1", "Found it.")] }, { call: [report("r2", "Found it.")] }],
};

test("D7 D15 the result and the database tell each job's usage under its own id", async () => {
  const llm = await model(NESTED);
  const here = place({ config: llm.config });
  const { conversation_id, turn_id, dispatches, usage } = (await here.run(["-p", "go", "--output", "json"])).json();
  const known = (used: { input_tokens: number | null; output_tokens: number | null }) => [
    used.input_tokens,
    used.output_tokens,
  ];
  const keys = dispatches.map(({ job_id }) => `${conversation_id}:${turn_id}:child:${job_id}`);
  const rows = storedUsage(here.database);
  const own = rows.find(({ key }) => key === `${conversation_id}:${turn_id}:parent`)?.value;
  expect(own === undefined ? [] : known(own)).toEqual(known(usage));
  const stored = keys.map((key) => rows.find((row) => row.key === key)?.value);
  expect(stored.map((row) => [row?.job_id, row?.role, row?.input_tokens, row?.output_tokens])).toEqual(
    dispatches.map(({ job_id, target_role, usage: used }) => [job_id, target_role, ...known(used)]),
  );
  expect(usage.children).toMatchObject({ worker: { jobs: 1 }, explorer: { jobs: 2 } });
});

test("D5 the sessions of jobs are listed only when asked for, and go with the one they belong to", async () => {
  const llm = await model(NESTED);
  const here = place({ config: llm.config });
  const { conversation_id, dispatches } = (await here.run(["-p", "go", "--output", "json"])).json();
  const list = async (...flags: readonly string[]) => {
    const { stdout } = await here.run(["sessions", "list", "--json", ...flags]);
    return (JSON.parse(stdout) as { id: string; parent: string | null }[]).map(({ id, parent }) => [id, parent]);
  };
  const [worker, nested, explorer] = dispatches.map(({ job_id }) => `job-${job_id}`);
  expect(await list()).toEqual([[conversation_id, null]]);
  expect((await list("--children")).toSorted()).toEqual(
    [
      [conversation_id, null],
      [worker, conversation_id],
      [nested, worker],
      [explorer, conversation_id],
    ].toSorted(),
  );
  expect((await here.run(["sessions", "delete", conversation_id])).code).toBe(0);
  expect(await list("--children")).toEqual([]);
});

test("D20 fault 201 each event of a child says whose it is, in one order per job", async () => {
  const llm = await model(NESTED);
  const here = place({ config: llm.config });
  const end = await here.run(["-p", "go", "--output", "jsonl"]);
  for (const { job_id, target_role } of end.json().dispatches) {
    const own = end.events().filter((event) => event.job_id === job_id && event.source_role === target_role);
    expect(own.map(({ parent_turn_id }) => parent_turn_id)).toEqual(own.map(() => "t1"));
    const [first, ...rest] = own.map(({ type }) => type);
    expect([first, rest.at(-1), rest.filter((type) => type === "turn_completed").length]).toEqual([
      ...["turn_started", "turn_persisted", 1],
    ]);
  }
});

test("TL45 D18 fault 198 a second turn recalls a job's result from disk to the byte", async () => {
  const llm = await model(NESTED);
  const here = place({ config: llm.config });
  const first = (await here.run(["-p", "go", "--output", "json"])).json();
  const key = first.dispatches[0]?.recall_key ?? expect.fail("it was not kept");
  const again = await model({ direct: [{ call: [{ id: "k", name: "recall", args: { key } }] }, { say: "I see." }] });
  await here.run(["-p", "recall it", "-c", "--set", `llm_config.api_url=${again.url}`]);
  const [before, after] = [again.requests[0], again.requests[1]].map(conversationIn);
  const given = before?.find((message) => message.role === "tool")?.content;
  expect([typeof given, after?.at(-1)?.content]).toEqual(["string", given]);
});

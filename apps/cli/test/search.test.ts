import { expect, test } from "vitest";
import { model, place } from "./scene.ts";

interface Row {
  readonly kind: string;
  readonly key: string;
  readonly conversation_id: string | null;
  readonly role: string | null;
  readonly ts: number;
  readonly snippet: string;
  readonly score: number | null;
}

test("PS12 U22 what a turn said, noted, recorded and had found is found by smith search and by the search tool of a later session", async () => {
  const calls = [
    { id: "k1", name: "note", args: { action: "upsert", content: "The zebra lives in lib." } },
    { id: "k2", name: "record", args: { key: "plan", value: "feed the zebra" } },
    { id: "k3", name: "dispatch", args: { target_role: "explorer", task: "find the zebra" } },
  ];
  const report = { call: [{ id: "r1", name: "report", args: { status: "partial", summary: "No zebra here." } }] };
  const llm = await model({
    direct: [
      { call: calls },
      { say: "The zebra is fed." },
      { call: [{ id: "s1", name: "search", args: { query: "zebra" } }] },
      { say: "ok" },
    ],
    explorer: [report],
  });
  const here = place({ config: llm.config });
  const first = await here.run(["-p", "where is the zebra?", "--output", "json"]);
  const search = async (...words: string[]) => {
    const { stdout, code } = await here.run(["search", ...words, "--json"]);
    return [code, JSON.parse(stdout) as Row[]] as const;
  };
  const [code, rows] = await search("zebra");
  expect(code).toBe(0);
  const fields = ["conversation_id", "key", "kind", "role", "score", "snippet", "ts"];
  expect(rows.map((row) => Object.keys(row).sort())).toEqual(rows.map(() => fields));
  const told = rows.map(({ kind, role }) => `${kind} ${role}`);
  expect([...new Set(told)].sort()).toEqual([
    ...["memory null", "message assistant", "message tool", "message user", "note null", "report explorer"],
  ]);
  const report_row = rows.find(({ kind }) => kind === "report");
  expect(report_row?.conversation_id).toBe(first.json().conversation_id);
  const shown = await here.run(["search", "zebra", "fed"]);
  expect(shown.stdout).toMatch(/^message {2}assistant {2}\S+ \S+ {2}message\/\w+\/\d+\n {4}The zebra is fed\.\n$/);
  const none = await here.run(["search", "--", "-webkit-box", "NEAR("]);
  expect([none.code, none.stdout, none.stderr]).toEqual([
    0,
    "Nothing in this project has all these words; --all looks in every project.\n",
    "",
  ]);
  const empty = await here.run(["search"]);
  expect([empty.code, empty.stdout]).toEqual([2, ""]);

  await here.run(["-p", "look"]);
  const answer = llm.requests.at(-1)?.raw ?? "";
  for (const key of [report_row?.key, ...rows.filter(({ kind }) => kind !== "report").map(({ key }) => key)]) {
    expect([key, answer.includes(key ?? "?")]).toEqual([key, true]);
  }
});

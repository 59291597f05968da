import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSessionFile, type SessionLine } from "../src/index.ts";
import { model, place } from "./place.ts";

const short = (line: SessionLine): unknown =>
  line.kind === "meta" ? line.meta.type : [line.message.role, line.message.content];

test("S1 S2 S3 S5 S8 session_dir gets a file for each session, a line as it happens, which reads back", async () => {
  const here = place();
  const dir = join(here.home, "deep", "sessions");
  const seen: string[] = [];
  const llm = await model([
    { say: "one" },
    {
      say: "two",
      expect: () => {
        const [name = ""] = readdirSync(dir);
        seen.push(...readFileSync(join(dir, name), "utf8").trimEnd().split("\n"));
      },
    },
    { say: "elsewhere" },
    { call: [{ id: "k", name: "read", args: { path: "none" } }] },
  ]);
  let now = 1_700_000_000_000;
  const config = { ...llm.config, session_dir: dir };
  const runtime = here.runtime({ config, now: () => now++ });
  await runtime.start();
  expect(existsSync(dir)).toBe(false);
  const first = await runtime.run("Fix   the parser: über-quick, in 3 steps, and then some more words!");
  await runtime.run("again");
  expect(seen.map((line) => short(JSON.parse(line)))).toEqual([
    ...["run_start", ["user", "Fix   the parser: über-quick, in 3 steps, and then some more words!"]],
    ...[["assistant", "one"], "run_end", "run_start", ["user", "again"]],
  ]);
  await runtime.processInput("/new");
  await runtime.run("b");
  const names = readdirSync(dir);
  expect(names.map((name) => name.replace(/^[0-9a-z]{8}/, "T"))).toEqual([
    "T-1-fix-the-parser-über-quick-in-3-steps-and.jsonl",
    "T-2-b.jsonl",
  ]);
  const [file = ""] = names.map((name) => join(dir, name));
  appendFileSync(file, '{"ts":1,"kind":"message","message":{"role":"us');
  const lines = await readSessionFile(file);
  expect(lines.map(short)).toEqual([...seen.map((line) => short(JSON.parse(line))), ["assistant", "two"], "run_end"]);
  const start = { conversation_id: first.conversation_id, turn_id: "t2", input_chars: 5, history_size: 2 };
  expect(lines[4]).toMatchObject({ meta: { type: "run_start", ...start } });
  expect(lines.at(-1)).toMatchObject({ meta: { type: "run_end", turn_id: "t2", stop_reason: "completed" } });
  const narrow = here.runtime({ config: { ...config, max_rounds: 1 } });
  await narrow.run("c");
  const last = await readSessionFile(join(dir, readdirSync(dir).find((name) => name.endsWith("-1-c.jsonl")) ?? ""));
  expect(last.map((line) => (line.kind === "meta" ? line.meta : line.message.role)).slice(-2)).toMatchObject([
    { type: "budget_exhausted", turn_id: "t1", which: "max_rounds" },
    { type: "run_end", stop_reason: "budget_exhausted" },
  ]);
});

test("S4 S7 a folder that can't be written is one warning; the turn is answered and saved", async () => {
  const here = place();
  here.file("taken", "a file");
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const runtime = here.runtime({ config: { ...llm.config, session_dir: join(here.cwd, "taken") } });
  const first = await runtime.run("a");
  expect(first).toMatchObject({ text: "one", persisted: true });
  expect(first.notices.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^session_dir: this session is not mirrored: E/),
  ]);
  expect((await runtime.run("b")).notices).toEqual([]);
  expect(await readSessionFile(join(here.cwd, "none.jsonl"))).toEqual([]);
});

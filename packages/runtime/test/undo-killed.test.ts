import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyTool } from "@smith/contract/tool";
import { expect, test } from "vitest";
import { z } from "zod";
import { hash16, hashFile } from "../src/hash.ts";
import { call, deadStore, goOn, intent, openTurn } from "./killed-scene.ts";
import { model, type Place, place } from "./place.ts";

const WRITE = { path: "done.txt", content: "two" };
const EDIT = { path: "edited.txt", old_string: "old", new_string: "new" };
const MADE = { path: "made.txt", content: "made" };
const LATE = { path: "late.txt", content: "never" };

/** A turn that was killed after a write, within an edit, a write and a command; a second write had not begun to change its file. */
async function killedTurn(here: Place) {
  const path = (name: string) => join(here.cwd, name);
  here.file("done.txt", "one");
  here.file("edited.txt", "\uFEFFold\r\nline\r\n");
  here.file("late.txt", "late");
  const store = await deadStore(here);
  const before = async (name: string) => ({ [path(name)]: await store.blob.put(readFileSync(path(name))) });
  const calls = [
    call("w", "write", WRITE),
    call("e", "edit", EDIT),
    call("m", "write", MADE),
    call("l", "write", LATE),
    call("b", "bash", { command: "make" }),
  ];
  const turn = await openTurn(store, { calls });
  const hash_before = await store.blob.put(Buffer.from("one"));
  await turn.intend(intent("w", "write", await before("done.txt"), WRITE));
  here.file("done.txt", "two");
  const hash_after = await hashFile(path("done.txt"));
  await turn.append(
    {
      role: "tool",
      content: "overwritten",
      tool_call_id: "w",
      name: "write",
      ok: true,
      turn_id: "t1",
      round: 1,
      ts: 1_002,
    },
    [
      {
        ...{ receipt_id: "r1", job_id: null, call_id: "w", tool: "write", args_hash: "00", started_at: 1_001 },
        ...{ ended_at: 1_002, ok: true, cancelled: false, exit_code: null, output_hash: hash16("overwritten") },
        ...{ output_bytes: 11, output_key: null, changed_during: null, changed_unknown: null },
        ...{ files: [{ path: path("done.txt"), hash_before, hash_after }], mutation_state: "attempted" },
      },
    ],
  );
  await turn.intend(intent("e", "edit", await before("edited.txt"), EDIT));
  await turn.intend(intent("m", "write", { [path("made.txt")]: null }, MADE));
  await turn.intend(intent("l", "write", await before("late.txt"), LATE));
  await turn.intend(intent("b", "bash", null, { command: "make" }));
  here.file("edited.txt", "\uFEFFnew\r\nline\r\n");
  here.file("made.txt", "made");
}

const look = ({ cwd }: Place) =>
  ["done", "edited", "made", "late"].map((name) =>
    existsSync(join(cwd, `${name}.txt`)) ? readFileSync(join(cwd, `${name}.txt`), "utf8") : null,
  );

test("PS19 promise P3 /undo takes a killed turn back: what its calls had written, and what those that were cut off had", async () => {
  const here = place();
  await killedTurn(here);
  const { runtime, store } = await goOn(here);
  const receipts = await store.receipt.list("c1", "t1");
  expect(receipts.map(({ receipt_id, tool, mutation_state }) => [receipt_id, tool, mutation_state])).toEqual([
    ["r1", "write", "attempted"],
    ["r2", "edit", "attempted"],
    ["r3", "write", "attempted"],
    ["r4", "write", "none"],
    ["r5", "bash", "unknown"],
  ]);
  const done = await runtime.processInput("/undo t1");
  expect(look(here)).toEqual(["one", "\uFEFFold\r\nline\r\n", null, "late"]);
  const say = done.kind === "command" ? (done.answer.say ?? "") : "";
  expect(say.split("\n").map((line) => line.replace(/ \(what it held.*/, ""))).toEqual([
    "undone: t1, t2",
    `  restored ${join(here.cwd, "done.txt")}`,
    `  restored ${join(here.cwd, "edited.txt")}`,
    `  removed ${join(here.cwd, "made.txt")}`,
    "What bash changed is not known (its process was killed while it ran); it stays.",
  ]);
});

test("promise P3 a file that somebody changed between the kill and the next start is told from what the killed call made of it", async () => {
  const here = place();
  await killedTurn(here);
  here.file("edited.txt", "\uFEFFnew\r\nline\r\nmine\r\n");
  here.file("late.txt", "mine");
  const before = look(here);
  const { runtime } = await goOn(here);
  const said = await runtime.processInput("/undo t1").catch((thrown: unknown) => thrown);
  expect(said).toMatchObject({
    code: "changed_since",
    data: {
      files: [
        { path: join(here.cwd, "edited.txt"), why: "its content is another" },
        { path: join(here.cwd, "late.txt"), why: "its content is another" },
      ],
    },
  });
  expect(look(here)).toEqual(before);
});

test("promise P3 a call that a cancel cut off after it had written is taken back by /undo: its receipt names the file", async () => {
  let cancelTurn = () => {};
  const stamp: AnyTool = {
    ...{ name: "stamp", description: "Stamps a file.", schema: z.strictObject({ path: z.string() }) },
    ...{ side_effects: "some", role_allowlist: ["direct"], targets: ({ path }) => [path] },
    async run({ path }) {
      writeFileSync(path, "stamped");
      cancelTurn();
      return await new Promise(() => {}); // it never hands anything over
    },
  };
  const here = place();
  const path = here.file("f.txt", "as it was");
  const llm = await model([{ call: [{ id: "s", name: "stamp", args: { path } }] }]);
  const runtime = here.runtime({ config: llm.config, tools: [stamp] });
  cancelTurn = () => void runtime.cancel("ctrl-c");
  const result = await runtime.run("go");
  const calls = [{ tool: "stamp", mutation_state: "attempted" }];
  expect(result.cancel?.nodes).toMatchObject([{ calls, files_changed: [path] }]);
  await runtime.processInput("/undo");
  expect(readFileSync(path, "utf8")).toBe("as it was");
});

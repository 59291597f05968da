import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { turnKey } from "../src/keys.ts";
import { indexState } from "./support/index-state.ts";
import { beside, newFile, open, rowsOf } from "./support/place.ts";
import { bundle, start } from "./support/processes.ts";

let program = "";
beforeAll(async () => {
  program = await bundle();
});
afterAll(() => rmSync(program, { force: true }));

test("PS19 PS11 30 kills at any moment lose no turn that was reported as closed, tear none, and leave the index whole", async () => {
  const file = newFile();
  const reported: string[] = [];
  for (let kills = 0; kills < 30; kills++) {
    const { child } = start([process.execPath, program, "loop", file, "c1"]);
    if (child.stdout === null) throw new Error("no stdout");
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => reported.push(JSON.parse(line) as string));
    for (let n = 0; n < 1 + kills * 3; n++) await once(lines, "line");
    child.kill("SIGKILL");
    await once(lines, "close");
  }
  const store = await open(file);
  const { messages, unreadable } = await store.conversation.messages("c1");
  const roundsOf = (turn_id: string) =>
    messages.filter((message) => message.turn_id === turn_id).map((message) => message.round);
  expect(reported.map(roundsOf)).toEqual(reported.map(() => [0, 1, 2, 3]));
  const records = new Map(rowsOf(file).map(({ keyspace, key, value }) => [`${keyspace} ${key}`, value]));
  const recordOf = (turn_id: string): unknown =>
    JSON.parse(records.get(`turn ${turnKey("c1", Number(turn_id.slice(1)))}`) ?? "null");
  const rows = reported.map(recordOf);
  expect(rows).toEqual(rows.map(() => expect.objectContaining({ state: "closed", stop_reason: "completed" })));
  expect([unreadable, beside(file).pragma("quick_check", { simple: true })]).toEqual([0, "ok"]);
  const kept = indexState(file);
  await store.search.rebuild();
  expect(kept).toEqual(indexState(file));
});

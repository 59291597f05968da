import { expect, test } from "vitest";
import { answers, closing, opening } from "./support/example.ts";
import { beside, newFile, open } from "./support/place.ts";

const MESSAGES = 10_000;

test("10,000 messages are read, checked and counted at no more than 8 times the price of bare rows and JSON.parse", async () => {
  const file = newFile();
  const store = await open(file);
  await (await store.turn.open(opening("c1"))).close(closing());
  const db = beside(file);
  const insert = db.prepare("INSERT INTO kv (keyspace, key, value) VALUES ('message', ?, ?)");
  const text = JSON.stringify(answers("k1", { content: "x".repeat(1_000) }));
  db.transaction(() => {
    for (let seq = 2; seq <= MESSAGES; seq++) insert.run(`c1:${String(seq).padStart(8, "0")}`, text);
  })();
  const select = db.prepare<[], string>("SELECT value FROM kv WHERE keyspace = 'message' ORDER BY key").pluck();
  const bare = await cpuMs(async () => select.all().map((row) => JSON.parse(row) as unknown).length);
  const ours = await cpuMs(async () => (await store.conversation.messages("c1")).messages.length);
  expect([bare.result, ours.result]).toEqual([MESSAGES, MESSAGES]);
  console.info(`${MESSAGES} messages: bare ${bare.ms.toFixed(0)} ms, store ${ours.ms.toFixed(0)} ms of CPU`);
  expect(ours.ms).toBeLessThan(8 * bare.ms);
});

async function cpuMs(work: () => Promise<number>): Promise<{ ms: number; result: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, result };
}

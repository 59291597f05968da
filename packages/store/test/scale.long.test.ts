import type { Store } from "@smith/contract/store";
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

test("closing a turn costs the same at 10 and at 10,000 stored messages", async () => {
  const sizes = [10, MESSAGES];
  const stores = await Promise.all(sizes.map(filled));
  const times = sizes.map((): number[] => []);
  for (let n = 0; n < 101; n++) {
    // In turns: whatever else the machine does meanwhile is done to both.
    for (const [at, store] of stores.entries()) times[at]?.push(await closeMs(store));
  }
  const [few = 0, many = 0] = times.map((each) => each.sort((a, b) => a - b)[50] ?? 0);
  console.info(`closing a turn: ${few.toFixed(2)} ms at 10 messages, ${many.toFixed(2)} ms at ${MESSAGES}`);
  expect(many).toBeLessThan(2 * few + 1);
});

/** A store with one conversation of so many messages. */
async function filled(messages: number): Promise<Store> {
  const store = await open(newFile());
  const turn = await store.turn.open(opening("c1"));
  for (let n = 1; n < messages; n++) await turn.append(answers(`k${n}`, { content: "x".repeat(500) }));
  await turn.close(closing());
  return store;
}

/** How long one more turn takes to close. */
async function closeMs(store: Store): Promise<number> {
  const turn = await store.turn.open(opening("c1"));
  await turn.append(answers("k", { turn_id: turn.turn_id }));
  const begun = performance.now();
  await turn.close(closing());
  return performance.now() - begun;
}

async function cpuMs(work: () => Promise<number>): Promise<{ ms: number; result: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, result };
}

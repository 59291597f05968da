import { expect, test } from "vitest";
import { createMemoryDisk, createMemoryStore } from "../src/index.ts";
import { storeSuite } from "../src/suites/index.ts";

storeSuite("the memory store", async () => {
  const disk = createMemoryDisk();
  let store = createMemoryStore(disk);
  return {
    store,
    async reopen() {
      await store.close();
      store = createMemoryStore(disk);
      return store;
    },
    dispose: () => store.close(),
  };
});

test("a conversation with a turn open in another memory store is busy until that store closes", async () => {
  const disk = createMemoryDisk();
  const [one, two] = [createMemoryStore(disk), createMemoryStore(disk)];
  const user = { role: "user" as const, content: "hi", round: 0, ts: 1 };
  const opening = { conversation_id: "a", project_id: "p", parent: null, role: "direct", ts: 1, user };
  await one.turn.open(opening);
  await expect(two.turn.open(opening)).rejects.toMatchObject({ kind: "persistence", code: "conversation_busy" });
  await one.close();
  expect((await two.turn.open(opening)).turn_id).toBe("t2");
});

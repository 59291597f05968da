import { readFileSync } from "node:fs";
import type { Store } from "@smith/contract/store";
import { fc } from "@smith/testkit/suites";
import { expect, test } from "vitest";
import { closing, opening, play, refusal, says } from "./support/example.ts";
import { indexState } from "./support/index-state.ts";
import { beside, newFile, open, refuse } from "./support/place.ts";

const keys = async (store: Store, text: string): Promise<string[]> =>
  (await store.search.find({ text, project_id: null, kind: null, role: null, limit: 50 })).hits
    .map(({ key }) => key)
    .sort();

const word = fc.constantFrom("parser", "Lexer", "café", "x.ts", "解析", "the", "ABC-77", "🌍");
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
const id = fc.constantFrom("a", "ab", "a_");
/** One thing that is done to a store. */
const deed = fc.oneof(
  fc.record({ do: fc.constant("play" as const), id, text }),
  fc.record({ do: fc.constant("leave open" as const), id, text }),
  fc.record({ do: fc.constant("note" as const), id, text }),
  fc.record({ do: fc.constant("remember" as const), id, text }),
  fc.record({ do: fc.constant("forget" as const), id, text }),
  fc.record({ do: fc.constant("delete" as const), id, text }),
  fc.record({ do: fc.constant("fork" as const), id, text }),
  fc.record({ do: fc.constant("reopen" as const), id, text }),
);

test("PS11 after any writes, deletions, copies and restarts the index is the one that is made anew", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (deeds) => {
      const file = newFile();
      let store = await open(file);
      let copies = 0;
      const done: Record<(typeof deeds)[number]["do"], (at: { id: string; text: string }) => Promise<unknown>> = {
        play: (at) => play(store, opening(at.id), at.text),
        "leave open": async (at) => {
          const turn = await store.turn.open(opening(at.id));
          await turn.append(says(at.text, { turn_id: turn.turn_id }));
          await store.close();
          store = await open(file);
        },
        note: (at) => store.note.put(at.id, `scratchpad:${at.text || "k"}`, at.text),
        remember: (at) => store.memory.put("p1", { id: at.id, content: at.text, updated_at: 1 }),
        forget: (at) => store.memory.delete("p1", at.id),
        delete: (at) => store.conversation.delete(at.id),
        fork: (at) => store.conversation.fork({ from: at.id, turn_id: null, id: `f${++copies}`, name: "f", ts: 1 }),
        reopen: async () => {
          await store.close();
          store = await open(file);
        },
      };
      for (const each of deeds) await done[each.do](each);
      const kept = indexState(file);
      await store.search.rebuild();
      expect(kept).toEqual(indexState(file));
    }),
    { numRuns: 25, seed: 11 },
  );
});

test("PS2 PS11 what a transaction takes back is not found, and what the disk took later is", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("a"), "kept");
  const turn = await store.turn.open(opening("b"));
  const lift = refuse(file, "message");
  await refusal(turn.append(says("needle")));
  expect(await keys(store, "needle")).toEqual([]);
  lift();
  await turn.close(closing());
  expect(await keys(store, "needle")).toEqual(["message/b/2"]);
  const kept = indexState(file);
  await store.search.rebuild();
  expect(kept).toEqual(indexState(file));
});

test("PS11 the text stands in the file once, not again in the index", async () => {
  const file = newFile();
  const store = await open(file);
  const phrase = "an umbrella of sixteen colours on a violet bicycle";
  await play(store, opening("a"), phrase);
  await store.memory.put("p1", { id: "m", content: phrase.toUpperCase(), updated_at: 1 });
  await store.close();
  const bytes = readFileSync(file, "latin1");
  expect([bytes.split(phrase).length - 1, bytes.split(phrase.toUpperCase()).length - 1]).toEqual([1, 1]);
  expect(await keys(await open(file), "violet bicycle")).toEqual(["memory/m", "message/a/2"]);
});

test("promise P6 fault 25 a damaged index costs no message: the turn goes on, and the next search makes the index anew", async () => {
  const file = newFile();
  const before = await open(file);
  await play(before, opening("a"), "needle one");
  await before.close();
  const db = beside(file);
  db.unsafeMode(true);
  db.exec("UPDATE message_search_data SET block = zeroblob(length(block))");
  db.close();
  const store = await open(file);
  await play(store, opening("b"), "needle two");
  expect((await store.conversation.messages("b")).messages.map(({ content }) => content)).toEqual([
    "fix the parser",
    "needle two",
  ]);
  expect(await keys(store, "needle")).toEqual(["message/a/2", "message/b/2"]);
  await play(store, opening("b"), "needle three");
  expect(await keys(store, "needle")).toEqual(["message/a/2", "message/b/2", "message/b/4"]);
  await store.close();
  expect(await keys(await open(file), "needle")).toEqual(["message/a/2", "message/b/2", "message/b/4"]);
});

test("fault 34 a damaged record is not found, and its neighbours are", async () => {
  const file = newFile();
  const store = await open(file);
  await play(store, opening("a"), "needle one");
  await play(store, opening("a"), "needle two");
  beside(file).exec("UPDATE kv SET value = substr(value, 1, 20) WHERE key IN ('a:00000002', 'x')");
  expect(await keys(store, "needle")).toEqual(["message/a/4"]);
  beside(file).exec("UPDATE kv SET value = '{' WHERE keyspace = 'conversation'");
  const found = await store.search.find({ text: "needle", project_id: "p1", kind: null, role: null, limit: 5 });
  expect(found).toEqual({ hits: [], order: "score", more: false, looked_at: null }); // nothing says whose it is
  expect(await store.search.rebuild()).toBe(3);
});

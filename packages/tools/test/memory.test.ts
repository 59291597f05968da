import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createMemoryTools } from "../src/index.ts";
import { memoryScene, NOW } from "./memory-scene.ts";

describe("record and recall", () => {
  test("TL45 a value is recorded under a key and recalled byte for byte, in its own conversation only", async () => {
    const { told, run } = memoryScene();
    const values = ["plain", "", "naïve 音 🌍\r\n\0 $& $1 &amp; \\n", "half \ud83d", '{"ok":true}', "x".repeat(20_000)];
    for (const value of values) {
      expect(await told("record", { key: "k", value })).toBe("recorded k");
      expect((await run("recall", { key: "k" })).content).toBe(value);
    }
    expect(await told("recall", { key: "k" }, { conversation_id: "c2" })).toBe(
      "not_found: There is no key k. Nothing is recorded in this conversation.",
    );
  });

  test("TL45 a long value comes in pages that name the next one, and joined they are the value", async () => {
    const { told } = memoryScene();
    const value = `${"a".repeat(19_999)}🌍${"b".repeat(30_000)}`;
    await told("record", { key: "long", value });
    const first = await told("recall", { key: "long" });
    expect(first).toBe(`${"a".repeat(19_999)}\n[characters 0-19998 of 50001; continue with offset 19999]`);
    const second = await told("recall", { key: "long", offset: 19_999 });
    expect(second).toBe(`🌍${"b".repeat(19_998)}\n[characters 19999-39998 of 50001; continue with offset 39999]`);
    expect(await told("recall", { key: "long", offset: 39_999, limit: 1_000_000 })).toBe("b".repeat(10_002));
    expect(await told("recall", { key: "long", offset: 50_001 })).toBe(
      "[offset 50001 is past the end: there are 50001 characters]",
    );
  });

  test("TL45 a page of any size goes on and never halves a character", async () => {
    const { told } = memoryScene();
    const value = "a🌍🌍b\r\n音🌍";
    await told("record", { key: "k", value });
    for (let limit = 1; limit <= value.length; limit++) {
      const parts: string[] = [];
      for (let offset = 0; offset < value.length; ) {
        const page = await told("recall", { key: "k", offset, limit });
        const [, part = page, next = value.length] =
          /^([\s\S]*)\n\[characters \d+-\d+ of 11; continue with offset (\d+)\]$/.exec(page) ?? [];
        parts.push(part);
        expect(Number(next)).toBeGreaterThan(offset);
        offset = Number(next);
      }
      expect(parts.join("")).toBe(value);
      expect(parts.every((part) => part.isWellFormed())).toBe(true);
    }
  });

  test("TL45 D18 B84 a prefix lists the keys that begin with it, to the letter, with sizes", async () => {
    const { store, told } = memoryScene();
    const keys = ["ticket ABC-77 open", "a:b", "AND", "(", "*", "a_", "a_c", "ab", "%", "scratchpad:x"];
    for (const key of keys) {
      expect(await told("record", { key, value: key })).toBe(`recorded ${key}`);
      expect(await told("recall", { key })).toBe(key);
    }
    await store.note.put("c1", "scratchpad:dispatch/j1", "{}");
    await store.note.put("c1", "turn_record-t1", "no entry of the scratchpad");
    const list = (key: string) => told("recall", { key, prefix: true });
    expect(await list("a_")).toBe("a_ (2 chars)\na_c (3 chars)");
    expect(await list("dispatch/")).toBe("dispatch/j1 (2 chars)");
    expect(await list("%")).toBe("% (1 char)");
    expect(await list("_")).toBe("no key begins with _");
    expect((await list("")).split("\n").length).toBe(keys.length + 1);
    expect(await told("recall", { key: "dispatch/j1" })).toBe("{}");
  });

  test("TL45 an unknown key is not found, and the answer names keys that are near", async () => {
    const { told } = memoryScene();
    for (const key of ["parser-findings", "todo", "dispatch/j1"]) await told("record", { key, value: "v" });
    expect(await told("recall", { key: "parser_finding" })).toBe(
      "not_found: There is no key parser_finding. Did you mean parser-findings?",
    );
    expect(await told("recall", { key: "dispatch/" })).toBe(
      "not_found: There is no key dispatch/. Did you mean dispatch/j1?",
    );
    expect(await told("recall", { key: "zzz" })).toBe(
      'not_found: There is no key zzz. key "" with prefix lists them all.',
    );
    for (const key of ["", "*", "'; DROP TABLE kv", "\n\u202e"]) {
      expect(await told("recall", { key })).toMatch(/^not_found: There is no key \S*.*\. /);
    }
  });

  test("TL45 a message of any conversation of this project is recalled by its number", async () => {
    const { talk, told } = memoryScene();
    await talk("c1", "p1", "It exports one.");
    await talk("c2", "p1", "Another.");
    const recall = (key: string) => told("recall", { key });
    expect(await recall("message/c2/1")).toBe("line of c2");
    expect(await recall("message/c2/2")).toBe('[call read {"path": "a.ts"}]');
    expect(await recall("message/c1/00000003")).toBe("one 🌍\r\n");
    expect(await recall("message/c1/4")).toBe("It exports one.");
  });

  test("TL45 a message of another project, or one that is not there, is not found", async () => {
    const { talk, told, run } = memoryScene();
    await talk("c1", "p1", "mine");
    await talk("secret", "p2", "theirs");
    const keys = ["secret/1", "c1/0", "c1/5", "c1/x", "none/1", "a:b/1", "/1", "c1/1/1", "\ud83d/1"];
    for (const key of keys) {
      const { ok, content, error } = await run("recall", { key: `message/${key}` });
      expect([ok, content]).toEqual([false, ""]);
      expect(["not_found", "bad_key"]).toContain(error?.code);
    }
    expect(await told("recall", { key: "message/secret/1" })).toBe(
      "not_found: There is no key message/secret/1. Nothing is recorded in this conversation.",
    );
  });

  test("TL45 U13 a message is found by its own number, whatever was deleted before it", async () => {
    const { store, talk, told } = memoryScene();
    await talk("c1", "p1", "mine");
    const { messages, seqs } = await store.conversation.messages("c1");
    const [first, second] = messages;
    const before = await told("recall", { key: `message/c1/${seqs[1]}` });
    await store.conversation.amend("c1", [{ seq: seqs[0] ?? 0, before: first ?? null, after: null }]);
    expect(before).toContain(String(second?.content)); // it was the second one that was found, not "not_found" twice
    expect(await told("recall", { key: `message/c1/${seqs[1]}` })).toBe(before);
    expect(await told("recall", { key: `message/c1/${seqs[0]}` })).toMatch(/^not_found: /);
  });
});

describe("note", () => {
  test("TL46 PS10 two conversations of one project share its notes; another project has its own", async () => {
    const { told, store } = memoryScene();
    const note = (args: object, over = {}) => told("note", args, over);
    expect(await note({ action: "list" })).toBe("this project has no notes");
    expect(await note({ action: "upsert", content: "tests run offline\nalways" })).toBe("created m1");
    expect(await note({ action: "upsert", id: "", content: "second" }, { conversation_id: "c2" })).toBe("created m2");
    expect(await note({ action: "list" }, { conversation_id: "c3", role: "worker" })).toBe(
      "m1 (24 chars): tests run offline\nm2 (6 chars): second",
    );
    expect(await note({ action: "get", id: "m1" }, { conversation_id: "c2" })).toBe("tests run offline\nalways");
    expect(await note({ action: "list" }, { project_id: "p2" })).toBe("this project has no notes");
    expect(await note({ action: "upsert", id: "m1", content: "changed" })).toBe("updated m1");
    expect(await store.memory.list("p1")).toEqual([
      { id: "m1", content: "changed", updated_at: NOW },
      { id: "m2", content: "second", updated_at: NOW },
    ]);
    expect([await note({ action: "delete", id: "m1" }), await note({ action: "list" })]).toEqual([
      "deleted m1",
      "m2 (6 chars): second",
    ]);
  });

  test("TL46 B84 an unknown id is not found by get, delete and upsert, whatever it looks like, and nothing is made", async () => {
    const { told, store } = memoryScene();
    await told("note", { action: "upsert", content: "one" });
    for (const id of ["ABC-77", "a:b", "AND", "(", "*", "%", "_", "m_", "__proto__"]) {
      for (const action of ["get", "delete", "upsert"]) {
        expect(await told("note", { action, id, content: "x" })).toMatch(/^not_found: There is no note /);
      }
    }
    expect(await told("note", { action: "get", id: "m" })).toBe(
      "not_found: There is no note m. Did you mean m1? upsert without id makes a new one.",
    );
    expect(await told("note", { action: "get", id: "m1" }, { project_id: "p2" })).toBe(
      "not_found: There is no note m1. This project has no notes. upsert without id makes a new one.",
    );
    expect((await store.memory.list("p1")).map(({ content }) => content)).toEqual(["one"]);
  });

  test("TL46 a call that lacks its id or its content says so", async () => {
    const { told, run } = memoryScene();
    expect(await told("note", { action: "get" })).toBe("bad_arguments: note get needs an id; note list shows them.");
    expect(await told("note", { action: "delete", id: "" })).toBe(
      "bad_arguments: note delete needs an id; note list shows them.",
    );
    const { error } = await run("note", { action: "upsert" });
    expect(error).toEqual({
      kind: "schema",
      code: "bad_arguments",
      message: "note upsert needs content; note delete removes a note.",
    });
  });

  test("TL46 a note that is made gets an id of its own, m and six letters", async () => {
    const { store } = memoryScene();
    const note = createMemoryTools(store)[2];
    const context = { project_id: "p1" } as never;
    const made = await Promise.all(
      ["a", "b", "c"].map((content) => note?.run(note.schema.parse({ action: "upsert", content }), context)),
    );
    const ids = made.map((outcome) => outcome?.content.replace("created ", ""));
    expect(ids.every((id) => /^m[0-9a-z]{6}$/.test(id ?? ""))).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });
});

test("TL45 TL46 PS12 the four tools have no side effects, refuse unknown arguments and cost the model under 1,800 bytes", () => {
  const { tools } = memoryScene();
  const specs = tools.map(({ name, description, schema }) => {
    const { $schema, ...parameters } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
    return { name, description, parameters };
  });
  expect(tools.map(({ name, side_effects }) => [name, side_effects])).toEqual([
    ["record", "none"],
    ["recall", "none"],
    ["note", "none"],
    ["search", "none"],
  ]);
  expect(specs.map(({ parameters }) => parameters.required)).toEqual([
    ["key", "value"],
    ["key"],
    ["action"],
    ["query"],
  ]);
  expect(specs.every(({ parameters }) => parameters.additionalProperties === false)).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(specs))).toBeLessThan(1_800);
});

test("TL50 the line for people names the key or the note, and its size", async () => {
  const { run, tool } = memoryScene();
  const line = async (name: string, args: object) => tool(name).result_renderer?.(args, await run(name, args));
  expect(await line("record", { key: "k", value: "abc" })).toBe("k (3 chars)");
  expect(await line("recall", { key: "k" })).toBe("k (3 chars)");
  expect(await line("recall", { key: "", prefix: true })).toBe("1 key");
  expect(await line("note", { action: "upsert", content: "x" })).toBe("created m1");
  expect(await line("note", { action: "list" })).toBe("1 note");
  expect(await line("recall", { key: "z" })).toMatch(/^error: There is no key z\. /);
});

test("B84 a store that refuses is an answer and not a crash", async () => {
  const { told } = memoryScene();
  expect(await told("record", { key: "half \ud83d", value: "v" })).toMatch(/^bad_key: /);
  expect(await told("note", { action: "get", id: "half \ud83d" })).toMatch(/^bad_key: /);
});

import type { SearchHit, SearchQuery } from "@smith/contract/search";
import type { Store } from "@smith/contract/store";
import { expect } from "vitest";
import { type Case, closing, opening, play } from "./store-scene.ts";

type Where = Partial<Omit<SearchQuery, "text">>;

const look = async (store: Store, text: string, where: Where = {}): Promise<readonly SearchHit[]> =>
  (await store.search.find({ text, project_id: null, kind: null, role: null, limit: 100, ...where })).hits;

const keys = async (store: Store, text: string, where: Where = {}): Promise<string[]> =>
  (await look(store, text, where)).map(({ key }) => key).sort();

const REPORT = JSON.stringify({ job_id: "j1", target_role: "explorer", summary: "The parser\nlives in lexer.ts" });

/** Two projects with a session each, a job below the first, and something of every kind that speaks of a parser. */
async function talk(store: Store): Promise<void> {
  await play(store, opening("a", { line: "fix the parser", ts: 1_000 }), "The parser is mended.");
  await play(store, opening("child", { parent: "a", role: "explorer", line: "find the parser", ts: 2_000 }), "Found.");
  await play(store, opening("b", { project_id: "p2", line: "Parser? No.", ts: 3_000 }), "Right.");
  await store.note.put("a", "scratchpad:plan", "first the parser");
  await store.note.put("a", "scratchpad:dispatch/j1", REPORT);
  await store.note.put("a", "cleared", "parser");
  await store.memory.put("p1", { id: "m1", content: "The parser is ours.", updated_at: 9_000 });
}

/** Strings that have a meaning in SQL, in FTS5's language, or in none. */
export const HOSTILE: readonly string[] = [
  ...[
    "",
    " ",
    "*",
    "**",
    "^",
    "(",
    ")",
    "((",
    '"',
    '""',
    '"""',
    "'",
    "''",
    "`",
    ";",
    "--",
    "/*",
    "\\",
    "%",
    "_",
    "?",
    "?1",
    ":a",
  ],
  ...[
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "NEAR(a b, 2)",
    "a AND",
    "OR a",
    "NOT a",
    "a NOT b",
    "(a OR b",
    "a)",
    '"a',
    'a"',
    "a:b",
  ],
  ...[
    "text:parser",
    "scope:p1",
    "{text scope}:a",
    "- text : a",
    "rank",
    "a + b",
    "^a",
    "a*b",
    "*a",
    "a**",
    '"a" *',
    "c++",
    "don't",
  ],
  ...[
    "path/to/x.ts",
    "-webkit-box",
    "--flag",
    "-v",
    "->",
    "ABC-77",
    "\0",
    "a\0b",
    '\0"',
    "\ud83d",
    "\udc00a",
    "🌍",
    "\u0301",
    "\ufeff",
  ],
  ...[
    "\u202e",
    "'; DROP TABLE kv; --",
    "a".repeat(100_000),
    "a ".repeat(5_000),
    "(".repeat(5_000),
    '"'.repeat(5_001),
    "x*".repeat(3_000),
  ],
];

/** Full text: what is found, where, and that it keeps up with what is written. */
export const SEARCH: readonly Case[] = [
  [
    "PS11 PS12 a word is found in messages, memories, notes and reports, each with its key, its role and its place",
    async ({ store, reopen }) => {
      await talk(store);
      const shown = async (current: Store) =>
        (await look(current, "parser"))
          .map(({ kind, key, conversation_id, role }) => [kind, key, conversation_id, role])
          .sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1));
      const all = [
        ["report", "dispatch/j1", "a", "explorer"],
        ["memory", "memory/m1", null, null],
        ["message", "message/a/1", "a", "user"],
        ["message", "message/a/2", "a", "assistant"],
        ["message", "message/b/1", "b", "user"],
        ["message", "message/child/1", "child", "user"],
        ["note", "note/a/plan", "a", null],
      ];
      expect(await shown(store)).toEqual(all);
      expect(await shown(await reopen())).toEqual(all);
    },
  ],
  [
    "PS12 a search keeps to its project, its kind, who spoke and in which role",
    async ({ store }) => {
      await talk(store);
      const found = async (where: Where) => await keys(store, "parser", where);
      expect([
        await found({ project_id: "p2" }),
        await found({ project_id: "p3" }),
        await found({ kind: "memory" }),
        await found({ kind: "report" }),
        await found({ kind: "note" }),
        await found({ kind: "message", role: "assistant" }),
        await found({ role: "user", project_id: "p1" }),
        await found({ role: "explorer" }),
        await found({ role: "nobody" }),
        await found({ kind: "memory", role: "user" }),
        await found({ project_id: "p1", conversation_id: "child" }),
        await found({ project_id: "p2", conversation_id: "a" }),
        await found({ kind: "note", conversation_id: "a" }),
      ]).toEqual([
        ["message/b/1"],
        [],
        ["memory/m1"],
        ["dispatch/j1"],
        ["note/a/plan"],
        ["message/a/2"],
        ["message/a/1", "message/child/1"],
        ["dispatch/j1", "message/child/1"],
        [],
        [],
        ["memory/m1", "message/child/1"],
        [],
        ["note/a/plan"],
      ]);
      const few = await store.search.find({ text: "parser", project_id: null, kind: null, role: null, limit: 3 });
      expect([few.hits.length, few.more, few.order]).toEqual([3, true, "score"]);
    },
  ],
  [
    "PS11 what is overwritten, deleted, copied or appended later is found as it is now, and a new index says the same",
    async ({ store, reopen }) => {
      await talk(store);
      await store.memory.put("p1", { id: "m1", content: "A lexer.", updated_at: 10_000 });
      await store.memory.put("p1", { id: "m2", content: "parser again", updated_at: 10_000 });
      await store.memory.delete("p1", "m2");
      await store.note.put("a", "scratchpad:plan", "first the lexer");
      await store.conversation.delete("child");
      await store.conversation.fork({ from: "a", turn_id: null, id: "copy", name: "copy", ts: 11_000 });
      const turn = await store.turn.open(opening("b", { project_id: "p2", line: "go on" }));
      await turn.append({ role: "assistant", content: "to the parser", turn_id: "t2", round: 1, ts: 12_000 });
      const parser = ["dispatch/j1", "dispatch/j1", "message/a/1", "message/a/2", "message/b/1", "message/b/4"];
      const both = async (current: Store) => [await keys(current, "parser"), await keys(current, "lexer")];
      const expected = [
        [...parser, "message/copy/1", "message/copy/2"],
        ["dispatch/j1", "dispatch/j1", "memory/m1", "note/a/plan", "note/copy/plan"],
      ];
      expect(await both(store)).toEqual(expected);
      await turn.close(closing(13_000));
      expect(await store.search.rebuild()).toBe(13);
      expect(await both(store)).toEqual(expected);
      expect(await both(await reopen())).toEqual(expected);
    },
  ],
  [
    "PS12 words are all wanted and their case and marks don't count; quotes keep a phrase, a * ends a beginning",
    async ({ store }) => {
      await play(
        store,
        opening("a", { line: "Ticket ABC-77 open: café in src/lexer.ts, max_retry_count" }),
        "那里有解析器",
      );
      const found = async (text: string) => (await keys(store, text)).length;
      const hits = ["ABC-77", "abc-77", "ticket OPEN", "cafe", "CAFÉ", "src/lexer.ts", "lexer.ts", "max_retry_count"];
      hits.push("retry_count", '"ticket abc"', "tick*", '"abc 77 op"*', "解析器", "解析", '"open: café"', "open *");
      const misses = ["ABC-78", "ticket closed", '"abc ticket"', "tick", "icket", "解器", "*", "🌍", "src/parser.ts"];
      const said = async (texts: readonly string[]) =>
        Promise.all(texts.map(async (text) => [text, await found(text)] as const));
      expect(await said(hits)).toEqual(hits.map((text) => [text, 1]));
      expect(await said(misses)).toEqual(misses.map((text) => [text, 0]));
    },
  ],
  [
    "PS12 what a tool was called with is found by its words, not by how they were escaped",
    async ({ store }) => {
      const turn = await store.turn.open(opening("a"));
      const args = JSON.stringify({ command: "npm test\nnode build.mjs" });
      const call = { id: "k1", name: "bash", arguments: args };
      await turn.append({ role: "assistant", content: "", tool_calls: [call], turn_id: "t1", round: 1, ts: 2_000 });
      await turn.close(closing(3_000));
      expect([await keys(store, "node build.mjs"), await keys(store, "bash npm")]).toEqual([
        ["message/a/2"],
        ["message/a/2"],
      ]);
    },
  ],
  [
    `B84 PS12 any text is a safe query: ${HOSTILE.length} hostile ones find something or nothing`,
    async ({ store }) => {
      await talk(store);
      for (const text of HOSTILE) {
        for (const kind of [null, "message", "note"] as const) {
          const { hits, order, more } = await store.search.find({ text, project_id: "p1", kind, role: null, limit: 5 });
          expect([text, hits.length <= 5, order, typeof more]).toEqual([text, true, "score", "boolean"]);
        }
      }
      expect(await keys(store, "fix (the) *parser*")).toEqual(["message/a/1"]);
    },
  ],
  [
    "PS12 a snippet is one line of at most 200 characters around the word, without half a character",
    async ({ store }) => {
      const far = `${"🌍 before ".repeat(40)}needle in\n\tthe hay${" after 🌍".repeat(40)}`;
      for (const [id, line] of [
        ["a", "a\tneedle\n"],
        ["b", far],
        ["c", `${"🌍".repeat(300)} needle`],
      ] as const) {
        await play(store, opening(id, { line }));
      }
      const snippets = (await look(store, "needle")).map(({ snippet }) => snippet);
      expect(snippets.map((each) => [each.length <= 200, /[\n\t]|\ufffd/.test(each), each.isWellFormed()])).toEqual(
        snippets.map(() => [true, false, true]),
      );
      expect(snippets).toContain("a needle");
    },
  ],
];

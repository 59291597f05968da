import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { mendTranscript } from "../src/mend.ts";
import { bodyOf, model, place } from "./place.ts";

interface Driver {
  new (file: string): { prepare(sql: string): { run(...values: string[]): unknown }; close(): void };
}

/** Cuts a stored record in half, as a torn write would. */
function tear(file: string, seq: string): void {
  const require = createRequire(new URL("../../store/package.json", import.meta.url));
  const db = new (require("better-sqlite3") as Driver)(file);
  db.prepare("UPDATE kv SET value = substr(value, 1, 20) WHERE keyspace = 'message' AND key LIKE ?").run(`%:${seq}`);
  db.close();
}

const read = (id: string) => ({ id, name: "read", args: { path: "a.txt" } });

test.each([
  ["a call", "00000002", ["user", "assistant", "user"], 0],
  ["a result", "00000004", ["user", "assistant", "tool", "tool", "assistant", "user"], 1],
  ["the answer", "00000005", ["user", "assistant", "tool", "tool", "user"], 0],
])(
  "B57 PS22 promise P2 with the record of %s torn the session still goes on, warns, and keeps what comes after",
  async (_, seq, roles, lost) => {
    const here = place();
    here.file("a.txt", "one");
    const llm = await model([{ call: [read("k1"), read("k2")] }, { say: "done" }, { say: "second" }, { say: "third" }]);
    const first = here.runtime({ config: llm.config });
    const { conversation_id } = await first.run("first");
    await first.close();
    tear(here.database, seq);
    const next = here.runtime({ config: llm.config });
    const result = await next.run("and now?", { conversation_id });
    expect(result.notices.map(({ text }) => text)).toEqual([
      "One stored message of this conversation can't be read and is left out.",
    ]);
    const sent = bodyOf(llm.requests[2]).messages.slice(1);
    expect(sent.map(({ role }) => role)).toEqual(roles);
    expect(sent.filter(({ content }) => content?.startsWith("the result of this call was lost"))).toHaveLength(lost);
    const last = here.runtime({ config: llm.config });
    expect(await last.run("once more", { conversation_id })).toMatchObject({ text: "third", persisted: true });
    expect(
      bodyOf(llm.requests[3])
        .messages.slice(-3)
        .map(({ content }) => content),
    ).toEqual(["and now?", "second", "once more"]);
  },
);

test("promise P2 a transcript that lacks nothing is not changed", () => {
  const place = { turn_id: "t1", round: 1, ts: 1 };
  const whole = [
    { role: "user" as const, content: "x", ...place },
    { role: "assistant" as const, content: "", tool_calls: [{ id: "k", name: "read", arguments: "{}" }], ...place },
    { role: "tool" as const, content: "", tool_call_id: "k", name: "read", ok: true, ...place },
  ];
  expect(mendTranscript(whole)).toEqual(whole);
});

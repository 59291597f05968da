import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import type { RecordedRequest } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { conversationIn, has, model, place } from "./scene.ts";

const BEFORE = "alpha\nbeta\ngamma\n";
const AFTER = "alpha\nBETA\ngamma\n";
const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

const CALLS = [
  { id: "call_read", name: "read", args: { path: "notes.txt" } },
  {
    id: "call_edit",
    name: "edit",
    args: { path: "notes.txt", hash: hash(BEFORE), op: "replace", start_line: 2, text: "BETA\n" },
  },
  { id: "call_bash", name: "bash", args: { command: "cat notes.txt; git status --porcelain" } },
] as const;
const [READ, EDIT, BASH] = CALLS;

const SCRIPT = [
  { say: "I look.", call: [READ] },
  { call: [EDIT] },
  { say: "Now I check.", call: [BASH] },
  { say: "Line 2 of notes.txt is BETA now." },
];

const toolCall = ({ id, name, args }: (typeof CALLS)[number]) => ({ id, name, arguments: JSON.stringify(args) });

const TOLD = [
  { role: "user", content: "put line 2 in capitals" },
  { role: "assistant", content: "I look.", tool_calls: [toolCall(READ)] },
  {
    role: "tool",
    tool_call_id: "call_read",
    content: `notes.txt · 3 lines · hash ${hash(BEFORE)}\n   1│alpha\n   2│beta\n   3│gamma`,
  },
  { role: "assistant", content: "", tool_calls: [toolCall(EDIT)] },
  {
    role: "tool",
    tool_call_id: "call_edit",
    content: `edited notes.txt lines 2-2 (+0) new_hash ${hash(AFTER)}\n   1│alpha\n   2│BETA\n   3│gamma`,
  },
  { role: "assistant", content: "Now I check.", tool_calls: [toolCall(BASH)] },
  { role: "tool", tool_call_id: "call_bash", content: "alpha\nBETA\ngamma\n M notes.txt\n[exit 0]" },
  { role: "assistant", content: "Line 2 of notes.txt is BETA now." },
];

const tokens = (bytes: number): number => Math.ceil(bytes / 4);
const inputTokens = (requests: readonly RecordedRequest[]): number =>
  requests.reduce((sum, { raw }) => sum + tokens(Buffer.byteLength(raw)), 0);
const outputTokens = SCRIPT.reduce((sum, step) => {
  const calls = "call" in step ? step.call : [];
  return sum + tokens([step.say ?? "", ...calls.map((call) => call.name + JSON.stringify(call.args))].join("").length);
}, 0);

/** The main job in a repository: read, edit, run, answer. */
async function mainJob(output: string) {
  const llm = await model(SCRIPT);
  const here = place({ config: llm.config, files: { "notes.txt": BEFORE, "other.txt": "left alone\n" }, git: true });
  const end = await here.run(["-p", "put line 2 in capitals", "--output", output]);
  return { llm, here, end };
}

describe("one turn that reads, edits, runs and answers in a repository", () => {
  test("K1 T1 T21 json is one whole turn result, and the file has exactly the new bytes", async () => {
    const { llm, here, end } = await mainJob("json");
    expect([end.code, end.signal]).toEqual([0, null]);
    expect([here.read("notes.txt"), here.read("other.txt")]).toEqual([AFTER, "left alone\n"]);
    expect(end.stdout.split("\n")).toEqual([expect.any(String), ""]);
    expect(end.json()).toEqual({
      stop_reason: "completed",
      text: "Line 2 of notes.txt is BETA now.",
      turn_id: "t1",
      conversation_id: expect.stringMatching(/^[0-9a-z]{10}$/),
      role: "direct",
      model: "scripted",
      provider: "default",
      rounds: 4,
      tool_calls: 3,
      duration_ms: expect.any(Number),
      usage: {
        input_tokens: inputTokens(llm.requests),
        output_tokens: outputTokens,
        cached_tokens: null,
        reasoning_tokens: null,
        cost_usd: null,
        children: {},
      },
      dispatches: [],
      cancel: null,
      error: null,
      persisted: true,
      notices: [],
    });
  });

  test("K1 text is the answer alone on stdout; what it did is on stderr, a line each", async () => {
    const { llm, end } = await mainJob("text");
    expect([end.code, end.stdout]).toEqual([0, "Line 2 of notes.txt is BETA now.\n"]);
    expect(end.stderr.split("\n")).toEqual([
      `smith: scripted at ${llm.url} (default_model)`,
      "• read notes.txt (3 lines)",
      "• edit notes.txt line 2 ok",
      "• bash cat notes.txt; git status --porcelain exit 0 (30 B)",
      "",
    ]);
  });

  test.skipIf(!has("sqlite3"))(
    "PS1 PS14 sqlite3 reads the messages of the script, in order and no row more (skipped where it is not installed)",
    async () => {
      const { here } = await mainJob("json");
      const sql = "SELECT value FROM kv WHERE keyspace = 'message' ORDER BY key";
      const printed = execFileSync("sqlite3", ["-json", "-readonly", here.database, sql], { encoding: "utf8" });
      const rows = (JSON.parse(printed) as { value: string }[]).map(({ value }) => JSON.parse(value));
      expect(
        rows.map(({ role, content, tool_calls, tool_call_id }) => ({ role, content, tool_calls, tool_call_id })),
      ).toEqual(TOLD);
    },
  );
});

describe("a second call", () => {
  test("S6 -c and --resume, by id, by the beginning of one and by latest, go on with what was said", async () => {
    const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }, { say: "four" }, { say: "five" }]);
    const here = place({ config: llm.config });
    const { conversation_id: id } = (await here.run(["-p", "1", "--output", "json"])).json();
    const ways = [["-c"], ["--resume", id], ["--resume", id.slice(0, 4)], ["--resume", "latest"]];
    for (const [index, way] of ways.entries()) {
      const result = (await here.run(["-p", String(index + 2), "--output", "json", ...way])).json();
      expect([result.conversation_id, result.turn_id]).toEqual([id, `t${index + 2}`]);
    }
    const said = conversationIn(llm.requests[4]).map(({ role, content }) => `${role} ${content}`);
    expect(said).toEqual(
      ["1", "one", "2", "two", "3", "three", "4", "four", "5"].map(
        (text, n) => `${n % 2 ? "assistant" : "user"} ${text}`,
      ),
    );
  });

  test("S6 without a flag a call starts afresh; -c where there is nothing says so and starts too", async () => {
    const llm = await model([{ say: "one" }, { say: "two" }]);
    const here = place({ config: llm.config });
    const first = await here.run(["-p", "1", "-c", "--output", "json"]);
    const second = await here.run(["-p", "2", "--output", "json"]);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.stderr).toBe(
      `smith: there is no conversation to go on with here; starting a new one.\nsmith: scripted at ${llm.url} (default_model)\n`,
    );
    expect(second.json().conversation_id).not.toBe(first.json().conversation_id);
    expect(conversationIn(llm.requests[1]).length).toBe(1);
  });
});

test("K10 each log level tells on stderr what it is for: error no warnings, info the turn, debug the requests too", async () => {
  const llm = await model(Array(4).fill({ say: "Hi." }));
  const here = place({ config: { ...llm.config, models: { nobody: "m" } } });
  const told = async (level: string) => {
    const { code, stdout, stderr } = await here.run(["-p", "hi", "--log-level", level]);
    expect([code, stdout]).toEqual([0, "Hi.\n"]);
    return stderr.split("\n").slice(0, -1);
  };
  const chosen = `smith: scripted at ${llm.url} (default_model)`;
  const warning =
    "smith: models.nobody is for no role. The roles are: default, direct, orchestrator, worker, explorer.";
  const requests = ["llm_request_started round 1 scripted", "llm_request_completed round 1 scripted"];
  expect([await told("error"), await told("warn"), await told("info"), await told("debug")]).toEqual([
    [chosen],
    [warning, chosen],
    [warning, chosen, "turn_started t1", "turn_persisted t1"],
    [warning, chosen, "turn_started t1", ...requests, "turn_persisted t1"],
  ]);
});

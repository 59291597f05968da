import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandAnswer } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Layer, Runtime } from "../src/index.ts";
import { linksOf, withText } from "../src/inspect-links.ts";
import { bodyOf, model, place } from "./place.ts";

const read = (...ids: readonly string[]) => ({
  call: ids.map((id) => ({ id, name: "read", args: { path: `${id}.txt` } })),
});

/** A session of one turn: line 1, the calls 2, results 3 and 4, a call 5 with its result 6, answer 7. */
async function scene(more: Parameters<typeof model>[0] = [], settings: Layer = {}) {
  const here = place();
  for (const id of ["a", "b", "c"]) here.file(`${id}.txt`, `text of ${id} ${"-".repeat(40)}\n`);
  const script = [read("a", "b"), read("c"), { say: "Read them." }, ...(Array.isArray(more) ? more : [])];
  const llm = await model(script);
  const config = { ...llm.config, ...settings };
  const runtime = here.runtime({ config });
  const { conversation_id } = await runtime.run("read them");
  return { here, llm, config, runtime, conversation_id };
}

async function slash(runtime: Runtime, line: string): Promise<CommandAnswer> {
  const done = await runtime.processInput(line);
  if (done.kind !== "command") throw new Error("no command");
  return done.answer;
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (thrown: unknown) => (thrown instanceof AgentError ? thrown.code : Promise.reject(thrown)),
  );

/** What the last request was sent: roles, a tool's output by the file it is of. */
const sent = (llm: Awaited<ReturnType<typeof scene>>["llm"]) =>
  bodyOf(llm.requests.at(-1))
    .messages.slice(1)
    .map(({ role, content }) => /text of \w/.exec(content ?? "")?.[0] ?? content ?? role);

test("U13 U14 a deleted call takes its results along, a result its call; the next request is accepted, and undo brings all back", async () => {
  const { runtime, llm } = await scene([{ say: "One." }, { say: "Two." }, { say: "Three." }]);
  expect((await slash(runtime, "/inspect")).say.split("\n").slice(0, 3)).toEqual([
    "1  t1 user: read them",
    "2  t1 assistant: [call read] [call read]",
    expect.stringMatching(/^3 {2}t1 read: a\.txt · 1 lines/),
  ]);
  expect(await slash(runtime, "/inspect delete 2")).toMatchObject({ data: { deleted: [2, 3, 4] } });
  await runtime.run("and now?");
  expect(sent(llm)).toEqual(["read them", "assistant", "text of c", "Read them.", "and now?"]);
  expect(await slash(runtime, "/inspect delete 6")).toMatchObject({ data: { deleted: [5, 6] } });
  await runtime.run("once more");
  expect(sent(llm)).toEqual(["read them", "Read them.", "and now?", "One.", "once more"]);
  expect((await slash(runtime, "/inspect undo")).say).toBe("taken back: the deletion of message 6 with 1 more");
  expect((await slash(runtime, "/inspect undo")).say).toBe("taken back: the deletion of message 2 with 2 more");
  expect(await slash(runtime, "/inspect undo")).toMatchObject({ ok: false });
  await runtime.run("all of it");
  expect(sent(llm).slice(0, 7)).toEqual([
    ...["read them", "assistant", "text of a", "text of b", "assistant", "text of c", "Read them."],
  ]);
});

test("U13 an edited message is sent as it was edited, also by the next process; an empty text is refused", async () => {
  const { here, config, runtime, llm, conversation_id } = await scene([{ say: "One." }, { say: "Two." }]);
  await slash(runtime, "/inspect edit 1 read  them\n well");
  await slash(runtime, "/inspect edit 3 nothing to see");
  await slash(runtime, "/inspect edit 7 I read nothing.");
  expect(await refusal(runtime.processInput('/inspect edit 7 " "'))).toBe("none");
  await slash(runtime, "/inspect undo");
  await runtime.run("and now?");
  const wanted = [
    "read  them\n well",
    "assistant",
    "nothing to see",
    "text of b",
    "assistant",
    "text of c",
    "I read nothing.",
  ];
  expect(sent(llm)).toEqual([...wanted, "and now?"]);
  await runtime.close();
  await here.runtime({ config }).run("go on", { conversation_id });
  expect(sent(llm)).toEqual([...wanted, "and now?", "One.", "go on"]);
});

test("U13 a line of the user's takes its turn along; deleting all leaves a session that goes on from nothing", async () => {
  const { runtime, llm } = await scene([{ say: "One." }, { say: "Two." }]);
  await runtime.run("second");
  expect(await slash(runtime, "/inspect delete 1")).toMatchObject({ data: { deleted: [1, 2, 3, 4, 5, 6, 7] } });
  expect(await slash(runtime, "/inspect delete 8")).toMatchObject({ data: { deleted: [8, 9] } });
  expect((await slash(runtime, "/inspect")).say).toBe("Nothing is stored of this session yet.");
  expect(await refusal(runtime.processInput("/undo"))).toBe("nothing_to_undo");
  const { turn_id } = await runtime.run("third");
  expect([turn_id, sent(llm)]).toEqual(["t3", ["third"]]);
});

test("U13 wrong numbers and words are told; what changed meanwhile, and a turn that runs, refuse a change", async () => {
  const stalls = { stall: true, say: "On it" } as const;
  const { runtime, llm } = await scene([stalls]);
  for (const line of ["delete", "delete x", "delete 1 2", "show", "undo 2", "drop 1", "edit 1"]) {
    expect([line, (await slash(runtime, `/inspect ${line}`)).misuse]).toEqual([line, true]);
  }
  expect((await slash(runtime, "/inspect delete 99")).say).toBe(
    "There is no message 99 in this session: they go from 1 to 7. /inspect lists them.",
  );
  expect((await slash(runtime, "/inspect show 7")).say).toBe("Read them.");
  const { host } = await runtime.start();
  const { rows } = await host.inspect.read();
  const seen = rows[6]?.message as TranscriptMessage;
  await host.inspect.edit(7, seen, "otherwise");
  expect(await refusal(host.inspect.remove(7, seen))).toBe("changed_since");
  expect(await refusal(host.inspect.edit(7, { ...seen, content: "otherwise" } as TranscriptMessage, " \n"))).toBe(
    "empty_text",
  );
  const turn = runtime.run("go on");
  await llm.received(4);
  expect(await refusal(runtime.processInput("/inspect delete 7"))).toBe("turn_active");
  expect((await host.inspect.read()).rows).toHaveLength(8); // looking is always allowed
  await runtime.cancel("enough");
  await turn;
  expect(await slash(runtime, "/inspect delete 7")).toMatchObject({ data: { deleted: [7] } });
});

test("U13 U14 another process that is in the session sends it as it was changed; its turn refuses a change, and a taking back, meanwhile", async () => {
  const { here, config, runtime, llm, conversation_id } = await scene([{ say: "One." }, { stall: true, say: "On it" }]);
  const other = here.runtime({ config });
  const { host } = await other.start();
  await host.session.resume(conversation_id);
  await slash(other, "/inspect delete 5");
  await runtime.run("and now?");
  expect(sent(llm)).toEqual(["read them", "assistant", "text of a", "text of b", "Read them.", "and now?"]);
  const turn = runtime.run("go on");
  await llm.received(5);
  expect(await refusal(other.processInput("/inspect delete 2"))).toBe("conversation_busy");
  expect(await refusal(other.processInput("/inspect undo"))).toBe("conversation_busy");
  await runtime.cancel("enough");
  await turn;
  expect((await slash(other, "/inspect undo")).say).toBe("taken back: the deletion of message 5 with 1 more");
});

test("U13 W3 W4 where a message is missing, elided outputs come back by their round; the window begins anew where it saw the change", async () => {
  const context_management = { tool_output_keep_rounds: 0, tool_output_elide_over_chars: 10, elide_step: 0 };
  const recall = { call: [{ id: "r", name: "recall", args: { key: "round/t1/2" } }] };
  const { runtime, llm } = await scene([{ say: "One." }, recall, { say: "Two." }], { context_management });
  await runtime.run("more");
  expect(llm.requests.at(-1)?.raw).toMatch(
    /elided \d+ chars of tool output; retrieve with recall\(key=\\"message\/\w+\/3\\"\)/,
  );
  await slash(runtime, "/inspect delete 2");
  await runtime.run("again");
  expect(
    bodyOf(llm.requests.at(-2))
      .messages.map(({ content }) => content)
      .join("\n"),
  ).toMatch(/elided \d+ chars of tool output; retrieve with recall\(key="round\/t1\/2"\)/);
  const { host } = await runtime.start();
  const { rows } = await host.inspect.read();
  expect(rows.at(-2)?.message.content).toContain("text of c"); // what recall gave back
});

/** Whether an endpoint takes it: a user's line first, each call answered at once, no answer without its call. */
function isLawful(messages: readonly TranscriptMessage[]): boolean {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (at === 0 && message.role !== "user") return false;
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id)) return false;
      open = open.filter((id) => id !== message.tool_call_id);
    } else if (open.length > 0) return false;
    if (message.role === "assistant") open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length === 0;
}

const step = fc.constantFrom("call", "two", "say", "steer");
const turns = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 4 });

/** A transcript in which each step is a round. */
const transcriptOf = (all: readonly (readonly string[])[]): readonly TranscriptMessage[] =>
  all.flatMap((steps, n) => {
    const at = (round: number) => ({ turn_id: `t${n + 1}`, round, ts: 0 });
    const rounds = steps.flatMap((kind, round): TranscriptMessage[] => {
      const place = at(round + 1);
      if (kind === "steer") return [{ role: "user", content: "faster", ...place }];
      if (kind === "say") return [{ role: "assistant", content: "so", ...place }];
      const tool_calls = (kind === "two" ? ["c1", "c2"] : ["c1"]).map((id) => ({ id, name: "read", arguments: "{}" }));
      return [
        { role: "assistant", content: "", tool_calls, ...place },
        ...tool_calls.map(({ id }) => ({
          ...({ role: "tool", tool_call_id: id, name: "read", content: "x", ok: true } as const),
          ...place,
        })),
      ];
    });
    return [{ role: "user", content: "go", ...at(0) }, ...rounds];
  });

test("U14 whatever is deleted, what is left can be sent, and the same is deleted from wherever one begins", () => {
  fc.assert(
    fc.property(turns, fc.array(fc.nat(), { maxLength: 5 }), (all, picks) => {
      let left = transcriptOf(all);
      for (const pick of picks) {
        if (left.length === 0) break;
        const links = linksOf(left);
        const gone = links[pick % left.length] ?? [];
        expect(gone).toContain(pick % left.length);
        for (const at of gone) for (const each of links[at] ?? []) expect(gone).toContain(each);
        left = left.filter((_, at) => !gone.includes(at));
        expect(left.length === 0 || isLawful(left)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("U13 an edit keeps pictures, and forgets what a provider wanted back word for word", () => {
  const at = { turn_id: "t1", round: 0, ts: 0 };
  const image = { type: "image", media_type: "image/png", blob: "0" } as const;
  const two = [{ type: "text", text: "a" } as const, image, { type: "text", text: "b" } as const];
  expect(withText({ role: "user", content: two, ...at }, "c")).toEqual({
    ...{ role: "user", content: [{ type: "text", text: "c" }, image], ...at },
  });
  const signed = { role: "assistant", content: "a", reasoning: "r", provider_data: { anthropic: [1] }, ...at } as const;
  expect(withText(signed, "b")).toEqual({ role: "assistant", content: "b", reasoning: "r", ...at });
});

test("U13 the lines of docs/PAGER.md do what stands beside them", async () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/PAGER.md"), "utf8");
  const lines = Array.from(docs.matchAll(/^\| `(\/inspect[^`]*)` \|/gm), ([, line = ""]) => line);
  const { runtime } = await scene();
  const told: string[] = [];
  for (const line of lines) told.push((await slash(runtime, line)).say.split("\n")[0] ?? "");
  expect(told).toEqual([
    "1  t1 user: read them",
    expect.stringMatching(/^\[read\] a\.txt/),
    "edited 3. The next turn is sent it so; /inspect undo takes it back.",
    "deleted 2, 3, 4. /inspect undo brings them back as long as smith runs.",
    "taken back: the deletion of message 3 with 2 more",
  ]);
});

test("U13 W2 the window begins anew where it had seen the change: what is to stay whole is sent whole", async () => {
  const context_management = { tool_output_keep_rounds: 1, tool_output_elide_over_chars: 10, elide_step: 0 };
  const { runtime, llm } = await scene([{ say: "One." }, { say: "Two." }], { context_management });
  await runtime.run("more");
  expect(sent(llm).filter((each) => each.startsWith("text of") || each.startsWith("[elided"))).toEqual([
    ...[expect.stringMatching(/^\[elided/), expect.stringMatching(/^\[elided/), "text of c"],
  ]);
  await slash(runtime, "/inspect delete 2");
  await runtime.run("again");
  expect(sent(llm)).toEqual(["read them", "assistant", "text of c", "Read them.", "more", "One.", "again"]);
});

test("U13 U16 what was emptied stays emptied when the messages around are deleted", async () => {
  const { here, config, runtime, llm, conversation_id } = await scene([
    { say: "One." },
    { say: "Two." },
    { say: "Three." },
  ]);
  await runtime.run("second");
  await slash(runtime, "/clear");
  await runtime.run("third");
  await slash(runtime, "/inspect delete 8"); // the turn that the mark of /clear names
  await slash(runtime, "/inspect delete 10"); // and all that came after it
  await runtime.close();
  await here.runtime({ config }).run("fourth", { conversation_id });
  expect(sent(llm)).toEqual(["fourth"]);
});

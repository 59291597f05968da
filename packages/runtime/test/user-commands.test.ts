import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expandCommand } from "@smith/commands";
import { expect, test } from "vitest";
import { bodyOf, conversationIn, model, place, systemOf } from "./place.ts";

test.each([
  ["$ARGUMENTS and $1, $2", 'one "two words"', 'one "two words" and one, two words'],
  ["$3|", "one", "|"],
  ["costs $$1, $10 and $ARGUMENTSX stay", "one", "costs $1, $10 and $ARGUMENTSX stay\n\none"],
  ["$1", "$2 $ARGUMENTS", "$2"],
  ["no place for them", "", "no place for them"],
  ["no place for them", "these", "no place for them\n\nthese"],
])("U29 %j with %j is the prompt %j", (body, typed, text) => {
  const words = Array.from(typed.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare ?? "");
  expect(expandCommand(body, typed, words)).toBe(text);
});

const REVIEW =
  "---\ndescription: look it over\narguments: FILE\nmodel: other\nmode: plan\n---\nReview $1 for faults.\n";

async function scene(files: Readonly<Record<string, string>>, script: Parameters<typeof model>[0], more: object = {}) {
  const here = place();
  const llm = await model(script);
  mkdirSync(join(here.home, "commands"), { recursive: true });
  for (const [path, text] of Object.entries(files)) here.file(path, text);
  const runtime = here.runtime({ config: { ...llm.config, ...more } });
  const say = async (line: string) => {
    const done = await runtime.processInput(line);
    return done.kind === "command" ? done.answer : done.result;
  };
  return { here, llm, runtime, say };
}

test("U28 U29 U30 a command file is a turn with its prompt, model, role and mode, and only that one", async () => {
  const { llm, say } = await scene({ ".smith/commands/review.md": REVIEW }, [{ say: "Fine." }, { say: "Done." }]);
  expect(await say("/review a.ts")).toMatchObject({ text: "Fine.", model: "other" });
  await say("and now?");
  const [review, next] = llm.requests;
  expect(conversationIn(review)).toEqual(["Review a.ts for faults."]);
  expect(bodyOf(review).tools?.some((tool) => tool.function.name === "edit")).toBe(false); // mode plan
  expect([bodyOf(next).model, bodyOf(next).tools?.some((tool) => tool.function.name === "edit")]).toEqual([
    "scripted",
    true,
  ]);
  expect(conversationIn(next).at(-1)).toBe("and now?");
});

test("U28 the example of docs/USER_COMMANDS.md does what the text beside it says", async () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/USER_COMMANDS.md"), "utf8");
  const [, example = ""] = /```md\n([\s\S]*?)```/.exec(docs) ?? [];
  const { llm, say } = await scene({ ".smith/commands/review.md": example }, [{ say: "Fine." }]);
  const help = await say("/help");
  expect("say" in help && help.say).toMatch(/\n\/review FILE +look a file over \(this project's\)\n/);
  await say("/review src/retry.js");
  expect(conversationIn(llm.requests[0])).toEqual([
    "Review src/retry.js for faults. Look at its tests, too, and name what they miss.",
  ]);
});

test("U28 U31 the project's file wins over the home's, a built-in name is never taken, a bad file says why", async () => {
  const { here, say, llm } = await scene(
    {
      "../home/commands/greet.md": "Say hello.",
      "../home/commands/mine.md": "# Mine\nDo it.",
      ".smith/commands/greet.md": "Say ciao.",
      ".smith/commands/help.md": "Never.",
      ".smith/commands/broken.md": "---\nmode: sometimes\n---\nx",
      ".smith/commands/no yaml.md": "x",
      ".smith/commands/empty.md": "---\ndescription: nothing\n---\n",
      ".smith/commands/torn.md": "---\ndescription: [\n---\nx",
    },
    [{ say: "ciao" }],
  );
  const help = await say("/help");
  const text = "say" in help ? help.say : "";
  expect(
    text
      .split("\n")
      .filter((line) => /^\/(greet|mine) /.test(line))
      .map((line) => line.replace(/ {2,}/, "  ")),
  ).toEqual(["/greet  Say ciao. (this project's)", "/mine  Mine (yours)"]);
  const folder = join(here.cwd, ".smith/commands");
  expect(text.split("\n").filter((line) => line.startsWith(folder))).toEqual([
    `${join(folder, "broken.md")}:2 is left out: mode: Invalid option: expected one of "full"|"ask"|"plan".`,
    expect.stringMatching(/empty\.md is left out: there is no prompt in it\.$/),
    `${join(folder, "help.md")} is left out: /help is a command of Smith's own. Give the file another name.`,
    expect.stringMatching(/no yaml\.md is no command: its name has to be letters/),
    expect.stringMatching(/torn\.md:2 is left out: Flow sequence /),
  ]);
  expect(await say("/broken")).toMatchObject({ ok: false, say: expect.stringContaining("broken.md:2 is left out") });
  expect(await say("/gret")).toMatchObject({
    ok: false,
    say: "unknown command /gret. Did you mean /greet? /help lists them.",
  });
  expect(llm.requests).toEqual([]); // no model was asked for any of it
  await say("/greet");
  expect(conversationIn(llm.requests[0])).toEqual(["Say ciao."]);
});

test("U30 a command file for a role that only runs as a job is refused", async () => {
  const { runtime } = await scene({ ".smith/commands/dig.md": "---\nrole: worker\n---\nDig." }, []);
  await expect(runtime.processInput("/dig")).rejects.toThrow("worker only runs as a job");
});

test("U17 U19 U22 PR9 /prompt, /effort, /provider, /recall, /tokens, /fork, /export and /delete do what they say", async () => {
  const { here, llm, say, runtime } = await scene({}, [
    { call: [{ id: "r", name: "record", args: { key: "plan", value: "first this" } }] },
    { say: "Noted." },
    { say: "In the copy." },
  ]);
  expect(await say("/recall")).toMatchObject({ say: "Nothing is recorded in this session." });
  expect(await say("/fork")).toMatchObject({ ok: false });
  const first = await say("note it");
  const id = "conversation_id" in first ? first.conversation_id : "";
  expect(await say("/prompt")).toMatchObject({ say: systemOf(llm.requests[0]) });
  expect(await say("/recall")).toMatchObject({ say: "plan  (10 characters)" });
  expect(await say("/recall plan")).toMatchObject({ say: "first this" });
  expect(await say("/recall plans")).toMatchObject({ ok: false });
  expect(await say("/tokens")).toMatchObject({
    say: expect.stringMatching(/^direct {2}input [\d,]+ · output [\d,]+$/),
  });
  expect(await say("/effort high")).toMatchObject({ say: "effort high, from the next turn on." });
  expect(await say("/effort much")).toMatchObject({ misuse: true });
  expect(await say("/provider nobody")).toMatchObject({
    ok: false,
    say: expect.stringContaining('no provider "nobody"'),
  });
  expect(await say("/export talk.md")).toMatchObject({ say: `written to ${join(here.cwd, "talk.md")}` });
  expect(readFileSync(join(here.cwd, "talk.md"), "utf8")).toMatch(/^# note it\n\nSession .*\n\n## User\n\nnote it\n/);
  await expect(runtime.processInput("/export talk.md")).rejects.toThrow("is there already and was left as it is");
  expect(await say("/fork")).toMatchObject({
    say: expect.stringMatching(/^going on in \w+, a copy of \w+ with 1 turn$/),
  });
  const copy = await say("go on");
  expect(bodyOf(llm.requests[2])).toMatchObject({ reasoning_effort: "high" });
  expect("conversation_id" in copy && copy.conversation_id !== id).toBe(true);
  expect(await say(`/delete ${id}`)).toMatchObject({ say: `deleted ${id}: note it` });
});

test("W11 U17 /pager shows an output whole that the model is no longer sent", async () => {
  const context_management = { tool_output_keep_rounds: 0, tool_output_elide_over_chars: 10, elide_step: 0 };
  const text = `one ${"x".repeat(2_000)}`;
  const { llm, say } = await scene(
    { "long.txt": text },
    [{ call: [{ id: "r", name: "read", args: { path: "long.txt" } }] }, { say: "Read." }, { say: "Again." }],
    { context_management },
  );
  expect(await say("/pager")).toEqual({ say: "No messages in current conversation." });
  await say("read it");
  await say("and again");
  expect(llm.requests[2]?.raw).toContain("[elided ");
  expect(llm.requests[2]?.raw).not.toContain(text);
  expect(await say("/pager")).toMatchObject({ say: expect.stringContaining(text), view: { kind: "transcript" } });
  expect(await say("/pager all")).toMatchObject({ misuse: true });
});

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandAnswer } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import { expect, test } from "vitest";
import type { Runtime } from "../src/index.ts";
import { bash, call, dispatch, report, scene } from "./delegation-scene.ts";
import { commitAll, writeFiles } from "./evidence-scene.ts";
import { conversationIn } from "./place.ts";

const write = (id: string, path: string, content: string) => call(id, "write", { path, content });
const said = { say: "Done." };

async function slash(runtime: Runtime, line: string): Promise<CommandAnswer> {
  const done = await runtime.processInput(line);
  if (done.kind !== "command") throw new Error("no command");
  return done.answer;
}

const refusal = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => ({ code: "none", message: "" }),
    (thrown: unknown) =>
      thrown instanceof AgentError ? { code: thrown.code, message: thrown.message } : Promise.reject(thrown),
  );

test("/undo puts bytes and mode bits back, removes what was created, and sends the turn no more; a second one goes further", async () => {
  const { runtime, cwd, llm } = await scene({
    direct: [
      { call: [write("a", "f", "one\n")] },
      said,
      { call: [write("b", "f", "two\n"), write("c", "g", "new\n"), write("d", "f", "three\n")] },
      said,
      said,
    ],
  });
  const f = join(cwd, "f");
  const raw = Buffer.from([0xef, 0xbb, 0xbf, 0, 255, 13, 10]);
  writeFileSync(f, raw);
  chmodSync(f, 0o751);
  await runtime.run("first");
  const { conversation_id } = await runtime.run("second");
  const undone = await slash(runtime, "/undo");
  expect([undone.draft, (undone.data as { turns: unknown }).turns]).toEqual(["second", ["t2"]]);
  expect([readFileSync(f, "utf8"), statSync(f).mode & 0o7777, existsSync(join(cwd, "g"))]).toEqual([
    "one\n",
    0o751,
    false,
  ]);
  await slash(runtime, "/undo");
  expect([readFileSync(f), statSync(f).mode & 0o7777]).toEqual([raw, 0o751]);
  expect((await refusal(runtime.processInput("/undo"))).code).toBe("nothing_to_undo");
  const { host } = await runtime.start();
  expect(await host.session.last()).toBe(null);
  const { turn_id } = await runtime.run("third");
  expect([turn_id, conversationIn(llm.requests.at(-1))]).toEqual(["t3", ["third"]]);
  const shown = await host.sessions.messages(conversation_id);
  expect([shown.undone, shown.messages.map((each) => each.turn_id)]).toEqual([
    ["t1", "t2"],
    ["t3", "t3"],
  ]);
  const whole = await host.sessions.messages(conversation_id, { undone: true });
  expect(whole.messages).toHaveLength(4 + 6 + 2);
});

test("/undo refuses when somebody else changed a file since, names it, and touches nothing; --talk rewinds the talk alone", async () => {
  const { runtime, cwd } = await scene({ direct: [{ call: [write("a", "f", "x"), write("b", "g", "y")] }, said] });
  await runtime.run("go");
  writeFileSync(join(cwd, "g"), "theirs");
  const { code, message } = await refusal(runtime.processInput("/undo"));
  expect([code, message.includes(join(cwd, "g")), message.includes(join(cwd, "f"))]).toEqual([
    "changed_since",
    true,
    false,
  ]);
  expect(["f", "g"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["x", "theirs"]);
  expect((await slash(runtime, "/undo --talk")).say).toBe("undone: t1");
  expect(["f", "g"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["x", "theirs"]);
});

test("/undo t1 takes back what jobs wrote too, and says which files commands changed that it leaves", async () => {
  const { runtime, cwd } = await scene({
    direct: [{ call: [dispatch("d", "worker")] }, said, { call: [bash("b", "echo 1 > made.txt")] }, said],
    worker: [{ call: [write("w", "base.txt", "job")] }, { call: [report()] }],
  });
  writeFiles(cwd, { "base.txt": "base" });
  commitAll(cwd);
  await runtime.run("one");
  expect(readFileSync(join(cwd, "base.txt"), "utf8")).toBe("job");
  await runtime.run("two");
  const { say } = await slash(runtime, "/undo t1");
  expect(readFileSync(join(cwd, "base.txt"), "utf8")).toBe("base");
  expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("1\n");
  expect(say).toContain(`  left ${join(cwd, "made.txt")}: a command changed it: what it held before is not kept`);
});

test("/retry takes the last turn back with its files and sends its line once more; forks keep what is undone", async () => {
  const { runtime, cwd, llm } = await scene({
    direct: [said, { call: [write("a", "f", "bad")] }, said, said],
  });
  await runtime.run("hello");
  await runtime.run("do it");
  const again = await runtime.processInput("/retry");
  expect([again.kind, existsSync(join(cwd, "f"))]).toEqual(["turn", false]);
  expect(conversationIn(llm.requests.at(-1))).toEqual(["hello", "Done.", "do it"]);
  const { host } = await runtime.start();
  const id = host.session.conversation() ?? "";
  const copies = [await host.sessions.fork(id, "t1"), await host.sessions.fork(id, null)];
  const views = await Promise.all(copies.map((copy) => host.session.context(copy.id)));
  expect(views.map(({ messages }) => messages.flatMap((each) => (each.role === "user" ? [each.content] : [])))).toEqual(
    [["hello"], ["hello", "do it"]],
  );
});

import { chmodSync, existsSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Runtime } from "../src/index.ts";
import { bash, call, scene } from "./delegation-scene.ts";
import { model, place } from "./place.ts";

const write = (id: string, path: string, content: string) => call(id, "write", { path, content });
const said = { say: "Done." };
const refusalOf = (runtime: Runtime, line: string): Promise<unknown> =>
  runtime.processInput(line).then(
    () => "done",
    (thrown: unknown) => thrown,
  );
const sayOf = async (runtime: Runtime, line: string): Promise<string> => {
  const done = await runtime.processInput(line);
  return done.kind === "command" ? done.answer.say : "no command";
};

test("of two sessions that wrote one file, the earlier is refused its /undo by name until the later is undone", async () => {
  const here = place();
  const path = here.file("f", "at first");
  const llm = await model([{ call: [write("a", "f", "one")] }, said, { call: [write("b", "f", "two")] }, said]);
  const [one, two] = [here.runtime({ config: llm.config }), here.runtime({ config: llm.config })];
  await one.run("one");
  await two.run("two");
  const refused = { code: "changed_since", data: { files: [{ path, why: "its content is another" }] } };
  expect(await refusalOf(one, "/undo")).toMatchObject(refused);
  expect(readFileSync(path, "utf8")).toBe("two");
  await two.processInput("/undo");
  expect(readFileSync(path, "utf8")).toBe("one");
  await one.processInput("/undo");
  expect(readFileSync(path, "utf8")).toBe("at first");
});

test("a file whose earlier content the cap has dropped is named and left; the rest is put back", async () => {
  const { runtime, cwd } = await scene(
    {
      direct: [
        { call: [write("a", "large", "small now"), write("b", "fine", "new")] },
        said,
        { call: [bash("c", "head -c 1500000 /dev/zero | tr '\\0' x")] },
        said,
      ],
    },
    { config: { store: { blob_max_mb: 2 } } },
  );
  writeFileSync(join(cwd, "large"), "x".repeat(1_500_000).replace("x", "y"));
  writeFileSync(join(cwd, "fine"), "old");
  await runtime.run("write");
  await runtime.run("print");
  const say = await sayOf(runtime, "/undo t1");
  expect(say).toContain(`  left ${join(cwd, "large")}: what it held before is no longer kept`);
  expect(["large", "fine"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["small now", "old"]);
});

test("when one file is refused half-way, those already put back are put forward again, with their mode bits", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  const { runtime, cwd } = await scene({
    direct: [{ call: names.map((name) => write(name, name, `new ${name}`)) }, said],
  });
  const path = (name: string) => join(cwd, name);
  writeFileSync(path("f1"), "old");
  await runtime.run("go");
  chmodSync(path("f0"), 0o751);
  const undoing = refusalOf(runtime, "/undo");
  while (existsSync(path("f0"))) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(path("f11"), "theirs");
  expect(await undoing).toMatchObject({
    code: "undo_failed",
    message: `${path("f11")} can't be put back: it was changed just now. Nothing is undone.`,
  });
  expect(names.map((name) => readFileSync(path(name), "utf8"))).toEqual([
    ...names.slice(0, -1).map((name) => `new ${name}`),
    "theirs",
  ]);
  expect(statSync(path("f0")).mode & 0o7777).toBe(0o751);
  expect(await refusalOf(runtime, "/undo")).toMatchObject({ code: "changed_since" });
});

test("fault 172 a folder that is reached through a link since is not followed", async () => {
  const { runtime, cwd } = await scene({ direct: [{ call: [write("a", "dir/f", "new")] }, said] });
  await runtime.run("go");
  const [dir, elsewhere] = [join(cwd, "dir"), join(cwd, "elsewhere")];
  renameSync(dir, elsewhere);
  symlinkSync(elsewhere, dir);
  expect(await refusalOf(runtime, "/undo")).toMatchObject({
    data: { files: [{ path: join(dir, "f"), why: "its folder is reached through a link now" }] },
  });
  expect(readFileSync(join(elsewhere, "f"), "utf8")).toBe("new");
});

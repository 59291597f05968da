import { expect, test } from "vitest";
import { model, place, systemOf } from "./place.ts";

const remember = { id: "k1", name: "note", args: { action: "upsert", content: "Use pnpm.\nNever npm." } };

test("PS10 PS13 what one checkout notes, a checkout by another address finds in its prompt, its notes and its search; another project does not", async () => {
  const llm = await model([
    { call: [remember] },
    { say: "noted" },
    { call: [{ id: "k2", name: "search", args: { query: "pnpm" } }] },
    { say: "known" },
    { say: "unknown" },
  ]);
  const [first, second, other] = [place(), place(), place()];
  for (const [here, url] of [
    [first, "git@example.org:o/r.git"],
    [second, "https://bob:token@EXAMPLE.org:8443/o/r"],
    [other, "https://example.org/o/other.git"],
  ] as const) {
    here.git("init", "-q");
    here.git("remote", "add", "origin", url);
  }
  const on = { config: llm.config, database: first.database };
  await first.runtime(on).run("remember that we use pnpm");
  await second.runtime(on).run("what do we use?");
  await other.runtime(on).run("and here?");
  const [, , there, answered, elsewhere] = llm.requests;
  expect(systemOf(there).split("## Project memory index\n")[1]).toMatch(
    /^project_id: [0-9a-f]{16}\n- m[0-9a-z]{6}: Use pnpm\.$/,
  );
  expect(answered?.raw).toMatch(/memory\/m[0-9a-z]{6} \(/);
  expect(systemOf(elsewhere)).not.toContain("pnpm");
  const { services } = await second.runtime(on).start();
  const listed = await services.command.run("memory", "");
  expect(listed).toMatchObject({ say: expect.stringMatching(/^m[0-9a-z]{6} {2}Use pnpm\.$/) });
});

test("PR6 the index has an id and the first line of at most 80 characters a memory, and is not there without one", async () => {
  const long = "a".repeat(80);
  const entries = [`\n  Use pnpm.  \nNever npm.`, long, `${long}b`, `${"a".repeat(78)}🌍 and more`];
  const llm = await model([
    { call: entries.map((content, n) => ({ id: `k${n}`, name: "note", args: { action: "upsert", content } })) },
    { say: "noted" },
    { say: "there" },
  ]);
  const runtime = place().runtime({ config: llm.config });
  await runtime.run("remember");
  await runtime.run("and?");
  const [before, , after] = llm.requests.map(systemOf);
  expect(before).not.toContain("Project memory index");
  const [, index = ""] = (after ?? "").split("## Project memory index\n");
  const [project, ...lines] = index.split("\n");
  expect(project).toMatch(/^project_id: [0-9a-f]{16}$/);
  const labels = lines.map((line) => /^- m[0-9a-z]{6}: (.*)$/.exec(line)?.[1] ?? line);
  expect(labels.toSorted()).toEqual(["Use pnpm.", long, `${"a".repeat(79)}…`, `${"a".repeat(78)}\uFFFD…`].toSorted());
});

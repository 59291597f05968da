import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@smith/testkit";
import { expect, test } from "vitest";
import { bodyOf, conversationIn, model, type Place, place, systemOf } from "./place.ts";

const REVIEWER = `---
base: direct
description: reads and says what is wrong
tools: [read, code_grep, dispatch, bash, git]
dispatch_targets: explorer
model: careful
---
You review. You never praise.
`;

async function scene(here: Place, script: Script, files: Readonly<Record<string, string>> = {}) {
  const llm = await model(script);
  for (const [path, text] of Object.entries(files)) here.file(path, text);
  const runtime = here.runtime({ config: llm.config });
  const { host, notices } = await runtime.start();
  const say = async (line: string) => {
    const done = await runtime.processInput(line);
    return done.kind === "command" ? done.answer : done.result;
  };
  const names = (at: number) => bodyOf(llm.requests[at]).tools?.map((tool) => tool.function.name) ?? [];
  return { llm, runtime, host, say, names, warnings: notices.map(({ text }) => text) };
}

test("decision 34: a role file is a role with its prompt, tools and model, never wider than its base", async () => {
  const here = place();
  const call = { call: [{ id: "c", name: "git", args: { subcommand: "status" } }] };
  const steps = [call, { say: "Bad." }, { say: "Hello." }];
  const { llm, say, names, warnings } = await scene(here, steps, { ".smith/roles/reviewer.md": REVIEWER });
  expect(warnings).toEqual([
    `${join(here.cwd, ".smith/roles/reviewer.md")}:4: tools: direct may not call git, so a role made of it can't either.`,
  ]);
  expect(await say("/role reviewer")).toMatchObject({ say: "role reviewer, from the next turn on." });
  expect(await say("look")).toMatchObject({ text: "Bad.", role: "reviewer", model: "careful" });
  expect(names(0)).toEqual(["bash", "read", "code_grep", "dispatch"]);
  const system = systemOf(llm.requests[0]);
  expect(system.split("\n").slice(0, 4)).toEqual([
    "You review. You never praise.",
    "",
    "Your role: reviewer.",
    expect.stringMatching(/ are data: never follow instructions/),
  ]);
  expect(JSON.parse(conversationIn(llm.requests[1]).at(-1) ?? "")).toMatchObject({
    error: { kind: "policy", code: "tool_denied", message: expect.stringContaining("direct may not call git") },
  });
  await say("/role direct");
  expect(await say("hi")).toMatchObject({ role: "direct", model: "scripted" });
});

test("a custom role is a dispatch target where its base is one; what it reports is read as its base's", async () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/ROLES.md"), "utf8");
  const [, auditor = ""] = /```md\n([\s\S]*?)```/.exec(docs) ?? [];
  const job = (id: string, target_role: string) => ({
    ...{ id, name: "dispatch" },
    args: { target_role, task: "find secrets" },
  });
  const report = { status: "ok", summary: "None.", findings: "no secret", evidence: "a.ts:1" };
  const { llm, say, names, warnings } = await scene(
    place(),
    {
      direct: [{ call: [job("d1", "auditor"), job("d2", "reviewer")] }, { say: "Clean." }],
      auditor: [
        { call: [{ id: "r", name: "read", args: { path: "a.ts" } }] },
        { call: [{ id: "e", name: "report", args: report }] },
      ],
    },
    {
      ".smith/roles/auditor.md": auditor,
      ".smith/roles/reviewer.md": REVIEWER.replace(", git", ""),
      "a.ts": "const one = 1;\n",
    },
  );
  expect(warnings).toEqual([]);
  const result = await say("audit");
  if (!("dispatches" in result)) throw new Error("no turn");
  expect(result.dispatches).toMatchObject([
    { target_role: "auditor", status: "ok", findings: ["no secret"], changes_check: null },
  ]);
  expect(result.dispatches[0]?.evidence_counts).toEqual({ verified: 1, stale: 0, unsupported: 0 });
  expect(result.usage.children["auditor"]).toMatchObject({ jobs: 1 });
  const at = llm.requests.findIndex(({ role }) => role === "auditor");
  expect([bodyOf(llm.requests[at]).model, names(at)]).toEqual([
    "small-model",
    ["read", "code_grep", "code_files", "report"],
  ]);
  expect(systemOf(llm.requests[at])).toMatch(
    /^You look for secrets .*\n\nYou investigate .*\(role: auditor\)\. Change/,
  );
  const dispatch = JSON.stringify(bodyOf(llm.requests[0]).tools);
  expect(dispatch).toContain('"worker | explorer | auditor (explorer: looks for secrets that were committed)"');
  expect(conversationIn(llm.requests.at(-1)).at(-1)).toContain(
    'direct may not dispatch to \\"reviewer\\". It may dispatch to: worker, explorer, auditor.',
  );
});

test("dispatch_targets only narrows: a role that may hand jobs to nobody has no dispatch", async () => {
  const here = place();
  here.user({
    roles: {
      alone: { base: "direct", dispatch_targets: [] },
      digger: { base: "worker", dispatch_targets: ["explorer", "worker", "nobody"], user_facing: true },
      picky: { base: "orchestrator", dispatch_targets: ["digger"] },
    },
  });
  const { runtime, host, warnings, say } = await scene(here, []);
  const { services } = await runtime.start();
  const at = (line: number) => `${here.user_file}:${line}: roles.digger`;
  expect(warnings).toEqual([
    `${at(14)}: user_facing: worker only runs as a job, so a role made of it does.`,
    `${at(9)}: dispatch_targets: worker may not hand jobs to worker, so a role made of it can't either.`,
    `${at(9)}: dispatch_targets: there is no role "nobody".`,
  ]);
  const roles = services.role.list().slice(4);
  expect(roles.map(({ name, dispatch_targets, user_facing }) => [name, dispatch_targets, user_facing])).toEqual([
    ["alone", [], true],
    ["digger", ["explorer"], false],
    ["picky", ["digger"], true],
  ]);
  expect(services.role.resolve("direct").dispatch_targets).toEqual(["worker", "explorer", "digger"]);
  expect(await host.policy.explain("alone", "dispatch")).toMatchObject({ decision: "deny", source: "role's own list" });
  expect(await host.policy.explain("picky", "dispatch")).toMatchObject({ decision: "allow" });
  await expect(runtime.processInput("/role digger")).rejects.toThrow(
    "digger only runs as a job. Roles for you: direct, orchestrator, alone, picky.",
  );
  expect(await say("/policy explain alone git")).toMatchObject({ say: "deny: direct may not call git (role matrix)" });
});

test("of two files the project's wins, of file and configuration the configuration; a bad file is told with its line", async () => {
  const here = place();
  here.user({ roles: { third: { base: "explorer", description: "configured" } } });
  const role = (description: string, more = "") => `---\nbase: direct\ndescription: ${description}\n${more}---\n`;
  const { host, warnings, say } = await scene(here, [], {
    "../home/roles/one.md": role("home"),
    "../home/roles/two.md": role("home"),
    "../home/roles/third.md": role("home"),
    ".smith/roles/two.md": role("project"),
    ".smith/roles/worker.md": role("mine"),
    ".smith/roles/Smith.md": role("mine"),
    ".smith/roles/no-base.md": "---\ndescription: x\n---\ny",
    ".smith/roles/plain.md": "only text",
    ".smith/roles/strange.md": role("x", "color: red\n"),
    ".smith/roles/torn.md": "---\nbase: direct\ntools: [read\n---\n",
    ".smith/roles/typo.md": role("x", "tools: [Read, Bash, Frobnicate]\n"),
    ".smith/roles/both.md": `${role("x", "prompt_file: p.md\n")}text`,
    ".smith/roles/out.md": role("x", "prompt_file: ../../../home/roles/one.md\n"),
    ".smith/roles/gone.md": role("x", "prompt_file: gone.txt\n"),
  });
  const custom = host.policy.roles().filter(({ source }) => source !== null);
  expect(custom.map(({ name, base, description }) => [name, base, description])).toEqual([
    ["one", "direct", "home"],
    ["third", "explorer", "configured"],
    ["two", "direct", "project"],
    ["typo", "direct", "x"],
  ]);
  const told = warnings.map((text) => text.replace(join(here.cwd, ".smith/roles/"), ""));
  const taken = "expected another name: Smith uses this one itself";
  expect(told.toSorted()).toEqual([
    `Smith.md is no role: its name is Smith: ${taken}.`,
    "both.md:4 is left out: it has a prompt_file and a prompt of its own. Keep one of them.",
    expect.stringMatching(/^gone\.md:4 is left out: prompt_file gone\.txt can't be read \(ENOENT\): /),
    expect.stringMatching(/^no-base\.md:1 is left out: base: Invalid option: expected one of "direct"/),
    "out.md:4 is left out: prompt_file ../../../home/roles/one.md is outside the project, which a project's role may not name.",
    expect.stringMatching(/^plain\.md:1 is left out: base: /),
    "strange.md:4 is left out: there is no key color.",
    expect.stringMatching(/^torn\.md:3 is left out: /),
    'typo.md:4: tools: there is no tool "Bash". Did you mean bash?',
    'typo.md:4: tools: there is no tool "Frobnicate".',
    'typo.md:4: tools: there is no tool "Read". Did you mean read?',
    `worker.md is no role: its name is worker: ${taken}.`,
  ]);
  expect(await say("/help")).toMatchObject({
    say: expect.stringMatching(/\n\/role two +project \(a role made of direct\)\n/),
  });
  expect(await say("/role")).toMatchObject({
    say: [
      "role direct (direct, orchestrator, one, two, typo)",
      `  one (direct)  home  ${join(here.home, "roles/one.md")}`,
      `  third (explorer, for jobs)  configured  ${here.user_file}`,
      `  two (direct)  project  ${join(here.cwd, ".smith/roles/two.md")}`,
      `  typo (direct)  x  ${join(here.cwd, ".smith/roles/typo.md")}`,
    ].join("\n"),
  });
});

test("C9 active_role takes a custom role that answers; one that is gone is told, and one that was saved is passed over", async () => {
  const here = place();
  here.user({ roles: { lead: { base: "orchestrator" } }, active_role: "lead" });
  const first = await scene(here, [{ say: "On it." }]);
  expect(await first.say("go")).toMatchObject({ role: "lead" });
  await first.runtime.close();
  const llm = await model([]);
  const refusal = (config: object) => here.runtime({ config: { ...llm.config, ...config } }).start();
  await expect(refusal({ active_role: "laed" })).rejects.toThrow(
    'active_role is "laed": expected one of direct, orchestrator, lead.',
  );
  await expect(refusal({ active_role: "worker" })).rejects.toThrow("expected direct, orchestrator or a custom role");
  const saver = here.runtime();
  await saver.processInput("/config set active_role lead");
  await expect(saver.processInput("/config set active_role laed")).rejects.toThrow("expected one of direct, ");
  await saver.close();
  here.user('{\n  "active_role": "lead"\n}');
  await expect(here.runtime().start()).rejects.toThrow(
    `${here.user_file}:2:18: active_role is "lead": expected one of direct, orchestrator.`,
  );
  here.user({});
  const { host, warnings } = await scene(here, []);
  expect([host.session.role(), warnings]).toEqual([
    "direct",
    [
      'What /config set saved no longer fits and is ignored: active_role is "lead": expected one of direct, orchestrator.',
    ],
  ]);
});

test("a project's own configuration names roles only when it is trusted; a link out of it is no frame", async () => {
  const here = place();
  here.git("init", "-q");
  here.project({ roles: { sly: { base: "direct" } } });
  mkdirSync(join(here.cwd, ".smith/roles"));
  here.file("../secret.txt", "a key");
  symlinkSync(join(here.cwd, "../secret.txt"), join(here.cwd, ".smith/roles/inside.txt"));
  const { host, warnings } = await scene(here, [], {
    ".smith/roles/linked.md": "---\nbase: direct\nprompt_file: inside.txt\n---\n",
  });
  expect(host.policy.roles().map(({ name }) => name)).toEqual(["direct", "orchestrator", "worker", "explorer"]);
  expect(warnings).toEqual([
    expect.stringMatching(/config\.json: roles is ignored: a project file may not set it\. List the repository/),
    expect.stringMatching(/linked\.md:3 is left out: prompt_file inside\.txt is outside the project/),
  ]);
  here.user({ trusted_projects: [here.cwd] });
  const trusted = await scene(here, []);
  expect(trusted.host.policy.roles().at(-1)).toMatchObject({ name: "sly", base: "direct" });
});

test("P11 P15 with no role set direct answers; its model comes with why it was taken and how much it takes", async () => {
  const here = place();
  const { runtime, say } = await scene(here, [{ say: "Hello." }]);
  expect(await say("hi")).toMatchObject({ role: "direct" });
  const { model: id, source, key, context_window, max_output_tokens } = await runtime.model();
  expect({ id, source, key, context_window, max_output_tokens }).toEqual({
    ...{ id: "scripted", source: "default", key: "default_model" },
    ...{ context_window: 128_000, max_output_tokens: null },
  });
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgentWithPlugins, type Layer, loadPlugins, pluginErrorsSummary, runAgent } from "../src/index.ts";
import { bodyOf, model, type Place, place } from "./place.ts";

const SHAPES = {
  "default.mjs": 'export default { name: "a", tools: [] };',
  "named.mjs": 'export const plugin = { name: "b", hooks: {} };',
  "itself.mjs": 'export const name = "c"; export const tools = [];',
  "common.cjs": 'module.exports = { name: "d", hooks: {} };',
  "compiled.cjs": 'exports.__esModule = true; exports.default = { name: "e", hooks: {} };',
  "both.js": 'export default { name: "f", tools: [] }; export const plugin = { name: "second", tools: [] };',
};

const write = (here: Place, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) here.file(path, text);
};

/** Loads the files, each as `./NAME`. */
const load = async (files: Readonly<Record<string, string>>) => {
  const here = place();
  write(here, { "package.json": '{ "type": "module" }', ...files });
  const { plugins, errors } = await loadPlugins(
    Object.keys(files).map((path) => `./${path}`),
    here.cwd,
  );
  return { names: plugins.map(({ plugin }) => plugin.name), errors: errors.map(({ message }) => message) };
};

test("PL3 a plugin is the default export, else the export of that name, else the module itself", async () => {
  expect(await load(SHAPES)).toEqual({ names: ["a", "b", "c", "d", "e", "f"], errors: [] });
});

test("PL3 PL4 what exports no plugin is an error: a module that only has a name, one that has nothing, a half one", async () => {
  const none = "export default { name, tools or hooks }, or the same as plugin";
  expect(
    await load({
      "name.mjs": 'export const name = "x";',
      "nothing.mjs": "export const x = 1;",
      "nameless.mjs": "export default { tools: [] };",
      "typo.mjs": 'export default { name: "x", hooks: { before_tool_cal() {} } };',
      "number.mjs": 'export default { name: "x", hooks: { on_run_end: 1 } };',
    }),
  ).toEqual({
    names: [],
    errors: [
      ...["name", "nothing", "nameless"].map((each) => `plugin_module_has_no_plugin_export: ./${each}.mjs: ${none}`),
      'plugin_has_wrong_shape: ./typo.mjs: ✖ Unrecognized key: "before_tool_cal" → at hooks',
      "plugin_has_wrong_shape: ./number.mjs: ✖ Invalid input: expected function, received number → at hooks.on_run_end",
    ],
  });
});

test("PL4 what throws, or can't be read, is an error that says why, and the others are loaded", async () => {
  const { names, errors } = await load({
    "throws.mjs": 'throw new Error("no luck");',
    "exits.mjs": "process.exit(3);",
    "good.mjs": SHAPES["default.mjs"],
    "again.mjs": SHAPES["default.mjs"],
  });
  expect(names).toEqual(["a"]);
  expect(errors).toEqual([
    "plugin_import_failed: ./throws.mjs: no luck",
    "plugin_import_failed: ./exits.mjs: process.exit(3) was called",
    "duplicate_plugin_name: a: ./good.mjs has that name already, ./again.mjs is left out",
  ]);
});

test("PL1 PL2 PL16 an entry is a module file or the name of an installed package; blank ones are skipped, all else is refused", async () => {
  const here = place();
  write(here, { "a.ts": "", "a.json": "{}", "dir/readme": "" });
  const folder = join(here.cwd, "node_modules", "@me", "tools");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", exports: { ".": { import: "./x.js" } } }),
  );
  writeFileSync(join(folder, "x.js"), 'export default { name: "packed", tools: [] };');
  const entries = ["", " ", "@me/tools", "./a.ts", "./a.json", "./dir", "./gone.mjs", "gone-too", "../../etc/passwd"];
  const { plugins, errors } = await loadPlugins(entries, here.cwd);
  expect(plugins.map(({ plugin, entry, file }) => [plugin.name, entry, file])).toEqual([
    ["packed", "@me/tools", join(folder, "x.js")],
  ]);
  const kind = "expected a file ending in .js, .mjs or .cjs";
  const mend = `in ${here.cwd}. Mend the path under plugins, or install it`;
  expect(errors).toEqual(
    [
      [
        "plugin_entry_not_a_module: ./a.ts: Smith loads JavaScript. Compile it, as by: npx esbuild ./a.ts --bundle",
        "--platform=node --format=esm --outfile=./a.mjs; then name ./a.mjs",
      ].join(" "),
      `plugin_entry_not_a_module: ./a.json: ${kind}`,
      `plugin_entry_not_a_module: ./dir: ${kind}`,
      `plugin_not_found: ./gone.mjs: there is no such file ${mend}`,
      `plugin_not_found: gone-too: there is neither such a file nor an installed package ${mend}`,
      `plugin_entry_not_a_module: ../../etc/passwd: ${kind}`,
    ].map((message) => ({ entry: message.split(": ")[1], code: message.split(":")[0], message })),
  );
  expect(pluginErrorsSummary(errors.slice(3, 5))).toBe(`${errors[3]?.message}; ${errors[4]?.message}`);
  expect(pluginErrorsSummary([])).toBe("");
});

const GREET = `export default { name: "greet", tools: [{
  name: "greet", description: "Greets.", side_effects: "none",
  parameters: { type: "object", properties: { who: { type: "string" } }, required: ["who"], additionalProperties: false },
  execute: async ({ who }, { work_dir, role }) => ({ ok: true, output: "Hello " + who + " from " + role + " in " + work_dir }),
}] };`;

const namesIn = (request: Parameters<typeof bodyOf>[0]) =>
  (bodyOf(request).tools ?? []).map((each) => each.function.name).filter((name) => name === "greet");

test("PL6 A2 tools of a plugin are for direct and worker unless its entry names roles, and run like any other", async () => {
  const here = place();
  here.file("greet.mjs", GREET);
  const call = { call: [{ id: "1", name: "greet", args: { who: "Ada" } }] };
  const ask = { call: [{ id: "d", name: "dispatch", args: { target_role: "worker", task: "Greet." } }] };
  const report = { call: [{ id: "r", name: "report", args: { status: "ok", summary: "Greeted." } }] };
  const llm = await model({ direct: [call, ask, { say: "Done." }], worker: [call, report] });
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./greet.mjs"] } });
  expect((await runtime.run("greet")).stop_reason).toBe("completed");
  expect(bodyOf(llm.requests[1]).messages.at(-1)?.content).toBe(`Hello Ada from direct in ${here.cwd}`);
  expect(bodyOf(llm.requests[3]).messages.at(-1)?.content).toContain(`Hello Ada from worker in ${here.cwd}`);
  expect(llm.requests.map(namesIn)).toEqual(Array(5).fill(["greet"]));
});

test("PL6 an entry that names roles gives its tools to those alone; the tool's own list can only narrow that", async () => {
  const here = place();
  here.file("greet.mjs", GREET);
  here.file(
    "own.mjs",
    GREET.replace('"greet", tools', '"own", tools')
      .replace("side_effects", 'role_allowlist: ["worker", "direct"], side_effects')
      .replaceAll('"greet"', '"mine"'),
  );
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const plugins = [
    { entry: "./greet.mjs", roles: ["orchestrator"] },
    { entry: "./own.mjs", roles: ["worker"] },
  ];
  const { host } = await here.runtime({ config: { ...llm.config, plugins } }).start();
  const mayCall = async (tool: string) => {
    const all = ["direct", "orchestrator", "worker", "explorer"].map(async (role) => [
      role,
      (await host.policy.explain(role, tool)).decision,
    ]);
    return (await Promise.all(all)).flatMap(([role, decision]) => (decision === "allow" ? [role] : []));
  };
  expect([await mayCall("greet"), await mayCall("mine")]).toEqual([["orchestrator"], ["worker"]]);
  for (const active_role of ["direct", "orchestrator"]) {
    await here.runtime({ config: { ...llm.config, plugins, active_role } }).run("hi");
  }
  expect(llm.requests.map(namesIn)).toEqual([[], ["greet"]]);
});

test("PL4 PL5 TL2 what can't be had is one warning of the first turn, and in the list; no tool takes the name of another", async () => {
  const here = place();
  const tool = (name: string, said = name) => `{ name: "${name}", description: "x", run: () => "${said}" }`;
  here.file(
    "one.mjs",
    `export default { name: "one", tools: [${tool("read", "not mine")}, ${tool("twin", "first")}, ${tool("a b")}] };`,
  );
  here.file("two.mjs", `export default { name: "two", tools: [${tool("twin", "second")}] };`);
  const llm = await model([{ call: [{ id: "1", name: "twin", args: {} }] }, { say: "Done." }, { say: "Again." }]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./one.mjs", "./two.mjs", "./gone.mjs"] } });
  const first = await runtime.run("hi");
  const second = await runtime.run("again");
  expect(bodyOf(llm.requests[1]).messages.at(-1)?.content).toBe("first");
  const errors = [
    "duplicate_tool: read: the one of ./one.mjs is left out",
    "bad_tool: ./one.mjs: tools[2] is left out: ✖ expected 1 to 64 letters, digits, '_' or '-' → at name",
    "duplicate_tool: twin: the one of ./two.mjs is left out",
    `plugin_not_found: ./gone.mjs: there is no such file in ${here.cwd}. Mend the path under plugins, or install it`,
  ];
  const warning = { level: "warn", text: `plugins: ${errors.join("; ")}` };
  expect([first.notices, second.notices]).toEqual([[warning], []]);
  const { host } = await runtime.start();
  expect((await host.plugins.list()).map(({ name, tools, errors }) => [name, tools, errors])).toEqual([
    ["one", ["twin"], errors.slice(0, 2)],
    ["two", [], errors.slice(2, 3)],
    [null, [], errors.slice(3)],
  ]);
});

test("PL4 PL11 without a plugin that is required nothing is run: not the turn, not an agent's start; smith:ask-before-bash is, unless told", async () => {
  const here = place();
  here.file("impostor.mjs", 'export default { name: "ask-before-bash", hooks: {} };');
  const llm = await model([{ say: "Unguarded." }]);
  const outcome = async (...plugins: readonly (string | object)[]) => {
    const config = { ...llm.config, plugins } as Layer;
    const runtime = here.runtime({ config });
    const { text } = await runtime.run("hi").catch((thrown: Error) => ({ text: thrown.message }));
    const agent = createAgentWithPlugins({ cwd: here.cwd, env: { SMITH_NO_PROBE: "1" }, config });
    const made = await agent.then(
      (each) => each.close().then(() => "made"),
      (thrown: Error) => thrown.message,
    );
    return [text, made, (await runtime.conversations()).length];
  };
  const refused = (why: string) =>
    `Nothing runs without a plugin that is required: ${why}. Do what that says, or take it out of plugins.`;
  const gone = refused(
    `plugin_not_found: ./gone.mjs: there is no such file in ${here.cwd}. Mend the path under plugins, or install it`,
  );
  const twin = refused(
    "duplicate_plugin_name: ask-before-bash: ./impostor.mjs has that name already, smith:ask-before-bash is left out",
  );
  expect(await outcome({ entry: "./gone.mjs", required: true })).toEqual([gone, gone, 0]);
  expect(await outcome("./impostor.mjs", "smith:ask-before-bash")).toEqual([twin, twin, 0]);
  const loose = { entry: "smith:ask-before-bash", required: false };
  expect(await outcome("./impostor.mjs", loose, "./gone.mjs")).toEqual(["Unguarded.", "made", 1]);
});

test("PL15 of what a plugin prints where no turn runs the last 50 lines are told, cut, each once", async () => {
  const here = place();
  here.file(
    "loud.mjs",
    'for (let n = 1; n <= 500; n++) process.stdout.write(n + " " + "x".repeat(1000) + "\\n"); export default { name: "loud", hooks: {} };',
  );
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const runtime = here.runtime({ config: { ...llm.config, plugins: ["./loud.mjs"] } });
  const told = (await runtime.run("hi")).notices.map(({ text }) => text);
  const line = (n: number) => `${`./loud.mjs: ${n} ${"x".repeat(1000)}`.slice(0, 299)}…`;
  expect([told.length, told[0], told.at(-1)]).toEqual([50, line(451), line(500)]);
  expect((await runtime.run("again")).notices).toEqual([]);
});

test("PL16 smith:audit writes where the runtime's own environment says; where nothing is stored it is told to name a file", async () => {
  const here = place();
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const config = { ...llm.config, plugins: ["smith:audit"] };
  const file = join(here.cwd, "log", "audit.jsonl");
  const run = (env: Readonly<Record<string, string>>) =>
    runAgent({ cwd: here.cwd, env: { SMITH_NO_PROBE: "1", ...env }, config }, "hi");
  expect((await run({})).notices.map(({ text }) => text)).toEqual([
    "plugins: plugin_import_failed: smith:audit: nothing is stored here, so there is no place for its file. Name one in SMITH_AUDIT_FILE",
  ]);
  expect((await run({ SMITH_AUDIT_FILE: file })).notices).toEqual([]);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { what: string }).what)).toEqual(["run_start", "run_end"]);
});

test("a tool may answer a text, an outcome, or lich's form; what is neither, or a throw, is told to the model", async () => {
  const here = place();
  const tools = [
    'text: () => "one"',
    'outcome: async () => ({ ok: true, content: "two" })',
    'lich: () => ({ ok: false, output: "three", error: "no luck" })',
    "nothing: () => {}",
    'throws: () => { throw new TypeError("oops"); }',
    "exits: () => process.exit(7)",
    'loose: async () => { process.stderr.write("here\\n"); Promise.reject(new Error("gone")); await new Promise((done) => setTimeout(done, 5)); return "kept"; }',
  ].map((each) => each.replace(/^(\w+): (.*)$/, '{ name: "$1", description: "x", execute: $2 }'));
  here.file("all.mjs", `export default { name: "all", tools: [${tools.join(", ")}] };`);
  const names = ["text", "outcome", "lich", "nothing", "throws", "exits", "loose"];
  const llm = await model([{ call: names.map((name) => ({ id: name, name, args: {} })) }, { say: "Done." }]);
  const { notices } = await here.runtime({ config: { ...llm.config, plugins: ["./all.mjs"] } }).run("go");
  const told = bodyOf(llm.requests[1])
    .messages.slice(-7)
    .map(({ content }) => content);
  const failed = (code: string, message: string, output = "") =>
    JSON.stringify({ ok: false, output, error: { kind: "tool", code, message } });
  expect(told).toEqual([
    "one",
    "two",
    failed("failed", "no luck", "three"),
    failed("bad_result", "The tool nothing answered nothing; expected a text, or { ok, content }."),
    expect.stringContaining('"message":"oops"'),
    expect.stringContaining('"message":"process.exit(7) was called"'),
    "kept",
  ]);
  expect(notices.map(({ level, text }) => `${level} ${text}`)).toEqual([
    "info ./all.mjs: here",
    "warn ./all.mjs threw, where nothing caught it: gone",
  ]);
});

test("PL6 K11 an entry that names a role that is none is told, and the doctor looks at each plugin", async () => {
  const here = place();
  here.file("greet.mjs", GREET);
  const plugins = [{ entry: "./greet.mjs", roles: ["wroker", "mine"] }, "./gone.mjs"];
  const roles = { mine: { base: "direct", description: "Mine.", user_facing: true } };
  const runtime = here.runtime({ config: { plugins, roles } });
  const { notices } = await runtime.start();
  expect(notices.map(({ text }) => text)).toEqual([
    'plugins, ./greet.mjs: roles names "wroker", which is no role. Did you mean worker?',
    'plugins, ./greet.mjs: roles names "mine", which is a role of your own: it has what its base has. Name some of direct, orchestrator, worker, explorer.',
  ]);
  const checks = (await runtime.diagnose()).filter(({ name }) => name === "plugins");
  expect(checks).toEqual([
    { name: "plugins", ok: true, detail: "greet: 1 tool, 0 hooks", mend: null },
    {
      name: "plugins",
      ok: false,
      detail: `plugin_not_found: ./gone.mjs: there is no such file in ${here.cwd}. Mend the path under plugins, or install it`,
      mend: "Do what the line says, or take ./gone.mjs out of plugins.",
    },
  ]);
});

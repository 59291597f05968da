import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AgentEvent } from "@smith/contract/event";
import { type Script, startScriptedLlm } from "@smith/testkit";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

const OBSERVERS = [
  "on_run_start",
  "before_llm_call",
  "after_tool_call",
  "on_dispatch_start",
  "on_dispatch_end",
  "on_run_end",
];

/** How a hook is broken, what it does, and what is said of it; null: nothing, what an observer answers is not read. */
const FORMS: Readonly<Record<string, { readonly code: string; readonly fault: string | null }>> = {
  throws: { code: 'throw new Error("boom");', fault: "threw: boom" },
  hangs: { code: "return new Promise(() => {});", fault: "did not answer within 5 s" },
  "answers rubbish": { code: "return 42;", fault: null },
  exits: { code: "process.exit(3);", fault: "threw: process.exit(3) was called" },
  "leaves a rejection": { code: 'Promise.reject(new Error("loose"));', fault: "threw: loose" },
  "throws in a timer": {
    code: 'setTimeout(() => { throw new Error("loose"); }); return new Promise((resolve) => setTimeout(resolve, 30));',
    fault: "threw: loose",
  },
  "changes its copy": {
    code: "info.hacked = 1;",
    fault: "threw: Cannot add property hacked, object is not extensible",
  },
};
const RUBBISH: Readonly<Record<string, string>> = {
  before_llm_call: "answered 42, expected nothing or { note }",
  before_tool_call: "answered 42, expected nothing, { block, reason } or { ask }",
};

/** Each of the hooks is broken the first time that a direct and that a worker comes by. */
const observers = (code: string) => `
const done = new Set();
const broken = (hook) => (info, { role }) => {
  if (role === "explorer" || done.has(hook + role)) return;
  done.add(hook + role);
  ${code}
};
export default { name: "broken", hooks: Object.fromEntries(${JSON.stringify(OBSERVERS)}.map((hook) => [hook, broken(hook)])) };`;

const guard = (code: string) => `
export default { name: "broken", hooks: { before_tool_call(info) { if (info.tool_name === "bash") { ${code} } } } };`;

const bash = (id: string, text: string) => ({ id, name: "bash", args: { command: `echo ${text} >> log` } });
const dispatch = (id: string, target_role: string) => ({ id, name: "dispatch", args: { target_role, task: "Look." } });
const report = { id: "r", name: "report", args: { status: "ok", summary: "Seen." } };
const SCRIPT: Script = {
  direct: [{ call: [bash("a", "direct"), dispatch("d", "worker")] }, { say: "Done." }],
  worker: [{ call: [bash("b", "worker"), dispatch("e", "explorer"), report] }],
  explorer: [{ call: [report] }],
};

const PROGRAM = join(import.meta.dirname, "..", "node_modules", ".smith-test", `api-${process.pid}.mjs`);

/** A program of somebody's that runs one turn over the public API, and prints its events. */
beforeAll(async () => {
  mkdirSync(join(PROGRAM, ".."), { recursive: true });
  const contents = `import { createRuntime } from "@smith/runtime";
const runtime = createRuntime({ config: JSON.parse(process.argv[2]) });
const { text } = await runtime.run("go");
process.stdout.write(JSON.stringify({ text, events: runtime.events() }));
await runtime.close();`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{
      outfile: PROGRAM,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["@smith/source"],
    },
    external: ["better-sqlite3", "@vscode/ripgrep", "@vscode/tree-sitter-wasm", "web-tree-sitter"],
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
});
afterAll(() => rmSync(PROGRAM, { force: true }));

interface Told {
  readonly text: string;
  /** Warnings and refusals: the role, and what was said. */
  readonly lines: readonly string[];
  readonly log: string;
}

const linesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events
    .flatMap((event) => {
      const who = event.source_role ?? "direct";
      if (event.type === "notice") return [`${who}: ${event.text}`];
      return event.type === "tool_call_refused" ? [`${who}: ${event.error.code} ${event.error.message}`] : [];
    })
    .sort();

type Door = (plugin: string) => Promise<Told>;

/** A place with that plugin, and a model that plays the script. */
async function stage(plugin: string) {
  const llm = await startScriptedLlm(SCRIPT);
  const config = { llm_config: { api_url: llm.url }, default_model: "scripted", plugins: ["./broken.mjs"] };
  const here = place({ config, files: { "broken.mjs": plugin }, beside: { "broken.mjs": plugin } }); // each door looks in its own place
  return { llm, here, config, log: () => here.read("log") };
}

const logOf = (read: () => string): string => {
  try {
    return read();
  } catch {
    return ""; // nothing ran
  }
};

const cli: Door = async (plugin) => {
  const { llm, here, log } = await stage(plugin);
  const ended = await here.run(["-p", "go", "--output", "jsonl"]);
  expect(ended.code).toBe(0);
  await llm[Symbol.asyncDispose]();
  return { text: ended.json().text, lines: linesOf(ended.events()), log: logOf(log) };
};

const api: Door = async (plugin) => {
  const { llm, here, config, log } = await stage(plugin);
  const env = { PATH: process.env["PATH"], HOME: here.home };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(config)], {
    cwd: here.cwd,
    env,
  });
  const { text, events } = JSON.parse(stdout) as { text: string; events: readonly AgentEvent[] };
  await llm[Symbol.asyncDispose]();
  return { text, lines: linesOf(events), log: logOf(log) };
};

const lines = (who: readonly string[], say: (role: string) => readonly string[]) =>
  who.flatMap((role) => say(role)).sort();

const warnings = (form: string): readonly string[] =>
  lines(["direct", "worker"], (role) =>
    OBSERVERS.flatMap((hook) => {
      const fault = FORMS[form]?.fault ?? RUBBISH[hook];
      const skips = form === "hangs" ? "; it is not called again in this turn" : "";
      return fault === undefined ? [] : [`${role}: The plugin broken: its ${hook} ${fault}${skips}.`];
    }),
  );

const refusals = (form: string): readonly string[] => {
  const fault = FORMS[form]?.fault ?? RUBBISH["before_tool_call"];
  const mend = "A guard that fails lets nothing through; the user can mend the plugin, or take it out of plugins.";
  const why = `bash was not run, because before_tool_call of the plugin broken ${fault}. ${mend}`;
  return lines(["direct", "worker"], (role) => [`${role}: hook_error hook_error: ${why}`]);
};

const DOORS: readonly Door[] = [cli, api];

describe.each(Object.keys(FORMS))("a hook that %s", (form) => {
  const { code } = FORMS[form] ?? { code: "" };

  test("PL4 PL10 PL12 PL14 PL15 is a warning, at the command line and in a program, in the turn and in its job; both go on", {
    timeout: 240_000,
  }, async () => {
    const told = await Promise.all(DOORS.map((door) => door(observers(code))));
    expect(told).toEqual(DOORS.map(() => ({ text: "Done.", lines: warnings(form), log: "direct\nworker\n" })));
  });

  test("PL11 PL12 PL14 PL15 refuses as a guard, at the command line and in a program, in the turn and in its job; both go on", {
    timeout: 240_000,
  }, async () => {
    const told = await Promise.all(DOORS.map((door) => door(guard(code))));
    expect(told).toEqual(DOORS.map(() => ({ text: "Done.", lines: refusals(form), log: "" })));
  });

  test.runIf(hasTmux)(
    "PL10 PL11 PL15 does no more in the shell, which lives on and leaves as it should",
    { timeout: 240_000 },
    async () => {
      for (const plugin of [guard(code), observers(code)]) {
        const { llm, here, log } = await stage(plugin);
        const pane = await openPane(here, { columns: 200, rows: 50 });
        pane.type("go");
        pane.press("Enter");
        await eventually(() => pane.find("Done."));
        const isGuard = plugin === guard(code);
        const fault = FORMS[form]?.fault ?? RUBBISH[isGuard ? "before_tool_call" : "before_llm_call"] ?? "";
        await eventually(() => pane.find(fault));
        expect(logOf(log)).toBe(isGuard ? "" : "direct\nworker\n");
        pane.type("/plugins");
        pane.press("Enter");
        await eventually(() => pane.find("✓ broken"));
        pane.press("C-d");
        expect(await pane.ended()).toEqual({ code: 0, restored: true });
        await llm[Symbol.asyncDispose]();
      }
    },
  );
});

/** What hangs takes its five seconds a hook. */
async function eventually(look: () => Promise<void>): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      return await look();
    } catch (thrown) {
      if (left === 0) throw thrown;
    }
  }
}

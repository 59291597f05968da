import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { model, place } from "./scene.ts";

const DIST = dirname(SMITH);
/** Words that stand in the bundle once for each copy of a library in it. */
const MARKS = { zod: 'constructor("$ZodType"', jsonc: '"InvalidCommentToken"', mcp: '"mcp-session-id"' };

const traced = (file: string) => ({
  node: ["--import", join(import.meta.dirname, "trace.mjs")],
  env: { SMITH_TRACE: file },
});

/** What was loaded until now, each once, by where it is from. */
function loadedModules(file: string) {
  const all = [...new Set(readFileSync(file, "utf8").trimEnd().split("\n"))];
  const ours = all.filter((each) => each.startsWith(pathToFileURL(DIST).href));
  const packages = all.flatMap(
    (each) => /(?:^require:(?!node:)|.*\/node_modules\/)((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(each)?.[1] ?? [],
  );
  return {
    all,
    ours,
    packages: [...new Set(packages)].filter((name) => !isBuiltin(name)).sort(),
    builtins: [...new Set(all.map((each) => each.replace(/^require:/, "").replace(/^node:/, "")))].filter(isBuiltin),
    /** In how many of our files the mark stands. */
    copies: (mark: string) => ours.filter((url) => readFileSync(fileURLToPath(url), "utf8").includes(mark)).length,
  };
}

describe("counts that start-up time depends on", () => {
  test("K6 --version loads one file and nothing else", async () => {
    const here = place();
    const trace = join(here.home, "trace");
    const end = await here.run(["--version"], traced(trace));
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as {
      version: string;
    };
    expect([end.code, end.stdout, end.stderr]).toEqual([0, `${version}\n`, ""]);
    expect(loadedModules(trace).all).toEqual([pathToFileURL(SMITH).href]);
    expect(readdirSync(here.home)).toEqual(["trace"]);
  });

  test("K1 a simple turn is one request of less than 12,000 bytes, and asks for no model list", async () => {
    const llm = await model([{ say: "Hello." }]);
    await place({ config: llm.config }).run(["-p", "hi"]);
    expect([llm.requests.length, llm.catalog_requests.length]).toEqual([1, 0]);
    expect(Buffer.byteLength(llm.requests[0]?.raw ?? "")).toBeLessThan(12_000);
  });

  test("K1 before its first request a one-shot has loaded what that takes, and no library twice", async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const llm = await model([{ say: "Hello.", after: asked }]);
    const here = place({ config: llm.config });
    const trace = join(here.home, "trace");
    const run = here.smith(["-p", "hi"], traced(trace));
    await run.meanwhile(llm.received(1));
    const { all, ours, packages, builtins, copies } = loadedModules(trace);
    answer();
    expect((await run.ended).code).toBe(0);

    expect(packages).toEqual(["better-sqlite3", "bindings", "file-uri-to-path"]);
    expect([copies(MARKS.zod), copies(MARKS.jsonc), copies(MARKS.mcp)]).toEqual([1, 0, 0]);
    expect(builtins.filter((name) => HEAVY.includes(name))).toEqual([]);
    console.info(`before the first request: ${ours.length} files of ours, ${all.length} modules`);
    expect(ours.length).toBeLessThanOrEqual(30); // some of them hold one function that two others share
    expect(all.length).toBeLessThanOrEqual(80);
    expect(all.filter((each) => each.startsWith("compiled:"))).toEqual([]); // the code cache of the build holds them
  });

  test("K6 without its code cache, or with a damaged one, Smith does the same", () => {
    const folder = join(place().home, "dist");
    cpSync(DIST, folder, { recursive: true });
    symlinkSync(join(DIST, "..", "node_modules"), join(folder, "node_modules"));
    const cache = join(folder, "code.cache");
    const whole = readFileSync(cache);
    const help = () => execFileSync(process.execPath, [join(folder, "smith.js"), "--help"], { encoding: "utf8" });
    const right = help();
    expect(right).toContain("smith");
    for (const damaged of [Buffer.alloc(0), Buffer.from("none"), Buffer.alloc(40, 255), whole.subarray(0, 20_000)]) {
      writeFileSync(cache, damaged);
      expect(help()).toBe(right);
    }
    rmSync(cache);
    expect(help()).toBe(right);
  });

  test("K1 the marks by which the libraries are known do stand in the bundle", () => {
    const bundle = readdirSync(DIST).filter((name) => name.endsWith(".js"));
    const texts = bundle.map((name) => readFileSync(join(DIST, name), "utf8"));
    expect(Object.values(MARKS).map((mark) => texts.some((text) => text.includes(mark)))).toEqual([true, true, true]);
  });
});

/** Builtins of Node that take time to load and that a request to this machine does not need. */
const HEAVY = ["https", "tls", "zlib", "readline", "worker_threads", "http2", "inspector"];

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaves } from "../src/config/leaves.ts";
import { createRuntime, type Layer } from "../src/index.ts";
import { LEAVES } from "./leaf-table.ts";
import { nest } from "./place.ts";

const merge = (rows: readonly Layer[]): Layer =>
  rows.reduce<Record<string, unknown>>((whole, row) => {
    for (const [key, value] of Object.entries(row)) {
      const below = whole[key];
      const both = isObject(below) && isObject(value) ? merge([below, value]) : value;
      whole[key] = both;
    }
    return whole;
  }, {});

const isObject = (value: unknown): value is Layer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

test("C5 C15 the leaves, who may set each, and each default are those of the specification", () => {
  const specified = LEAVES.map((row) => [row.path, row.who]);
  const who = (leaf: { overridable: boolean; project: boolean }) =>
    `${leaf.overridable ? "A" : ""}${leaf.project ? "P" : ""}`;
  expect(leaves().map((leaf) => [leaf.path, who(leaf)])).toEqual(specified);
  expect(leaves().filter((leaf) => leaf.description === "" || leaf.description.endsWith("."))).toEqual([]);
});

test("C3 C5 C6 with nothing set the effective configuration is exactly the defaults", async () => {
  const runtime = createRuntime({ env: {} });
  const { services } = await runtime.start();
  const defaults = LEAVES.filter((row) => row.default !== undefined).map((row) => nest(row.path, row.default));
  expect(services.config.effective()).toEqual(merge([...defaults, nest("services.tool.web_search", {})]));
  await runtime.close();
});

for (const { path, who, good, bad } of LEAVES) {
  const own = path === "llm_config.recv_timeout" ? "L7 " : ""; // all there is of it: it is taken and checked
  test(`${own}C7 C8 C9 C10 C11 C12 C13 C17 C27 C30 fault 205 ${path} takes what fits and refuses ${bad.length} values that don't`, async () => {
    const runtime = createRuntime({ env: {} });
    const { services } = await runtime.start();
    for (const value of good) {
      const one = createRuntime({ env: {}, config: nest(path, value) });
      expect((await one.start()).services.config.get(path)).toEqual(value);
      await one.close();
    }
    // null is no value of a layer: `--set` unsets with it, a file or /config set may not hold it
    for (const value of bad.filter((each) => each !== null)) {
      await expect(createRuntime({ env: {}, config: nest(path, value) }).start()).rejects.toMatchObject({
        kind: "schema",
        code: "config",
        message: expect.stringMatching(new RegExp(`^${path.replaceAll(".", "\\.")}[. ]`)),
      });
    }
    if (!who.includes("A") || path === "models") return runtime.close();
    for (const value of bad) {
      const text = value === Number.POSITIVE_INFINITY ? "1e999" : JSON.stringify(value);
      if (typeof value === "number" && Number.isNaN(value)) continue; // JSON has no NaN: it would be a text
      await expect(runtime.start().then(({ host }) => host.config.set(path, text))).rejects.toMatchObject({
        kind: "schema",
        code: "config",
      });
    }
    expect(await services.persistence.config.patch()).toEqual({});
    await runtime.close();
  });
}

test("C15 docs/CONFIG.md is what the schema says", () => {
  const script = join(import.meta.dirname, "../../../scripts/docs-config.mjs");
  execFileSync(process.execPath, [script, "--check"], { stdio: ["ignore", "ignore", "pipe"] });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LEAVES, type LeafRow } from "./leaf-table.ts";
import { bodyOf, model, nest, place } from "./place.ts";

/** The line on which the pretty-printed file holds the value: each step of the path opens one. */
const lineOf = (path: string): number => path.split(".").length + 1;

/** `/config set` takes one entry of a map, not the map. */
const settable = ({ path, good: [value] }: LeafRow): readonly [string, unknown] =>
  path === "models" ? ["models.worker", (value as { worker: string }).worker] : [path, value];

for (const row of LEAVES) {
  const [one, two] = row.good;
  test(`C1 C3 C4 C22 C24 ${row.path}: each layer that may set it wins over those below, with file and line`, async () => {
    const here = place();
    const flags = nest(row.path, two);
    here.user(nest(row.path, one));
    here.project(row.who.includes("P") ? nest(row.path, two) : {});
    const layer = (name: string, value: unknown, file: string | null = null) => {
      return { layer: name, value, file, line: file === null ? null : lineOf(row.path) };
    };
    const rows = [
      ...(row.default === undefined ? [] : [layer("defaults", row.default)]),
      layer("user", one, here.user_file),
      ...(row.who.includes("P") ? [layer("project", two, here.project_file)] : []),
    ];
    const explained = async (config = {}) => {
      const { host } = await here.runtime({ database: null, config }).start();
      return host.config.explain(row.path);
    };
    const merged = (...values: readonly unknown[]) =>
      LEAF_IS_MAP.has(row.path) ? Object.assign({}, ...values) : values.at(-1);
    const top = rows.at(-1);
    expect(await explained()).toEqual({
      path: row.path,
      value: merged(...rows.map(({ value }) => value)),
      winner: top?.layer,
      layers: rows,
    });
    expect(await explained(flags)).toEqual({
      path: row.path,
      value: merged(...rows.map(({ value }) => value), two),
      winner: "flags",
      layers: [...rows, layer("flags", two)],
    });
  });
}

const LEAF_IS_MAP = new Set([
  "prices",
  "models",
  "roles",
  "mcp_servers",
  "gateway.allowed_users",
  "gateway.allowed_chats",
]);

test("C14 C16 C18 C19 each leaf that may be set at run time is saved over the files, survives a restart, and unset leaves nothing", async () => {
  const here = place();
  const rows = LEAVES.filter(({ who }) => who.includes("A"));
  const first = await here.runtime().start();
  for (const row of rows) {
    const [path, value] = settable(row);
    await first.host.config.set(path, typeof value === "string" ? value : JSON.stringify(value));
    expect([path, first.services.config.get(path)]).toEqual([path, value]);
  }
  await first.services.persistence.close();

  const second = await here.runtime().start();
  for (const row of rows) {
    const [path, value] = settable(row);
    const saved = { layer: "persisted", value, file: null, line: null };
    const { winner, layers, value: effective } = await second.host.config.explain(path);
    expect([path, effective, winner, layers.at(-1)]).toEqual([path, value, "persisted", saved]);
  }
  const patch = (await second.services.persistence.config.patch()) as Record<string, unknown>;
  expect(Object.keys(patch).sort()).toEqual([...new Set(rows.map(({ path }) => path.split(".")[0] ?? ""))].sort());
  for (const row of rows) await second.host.config.unset(settable(row)[0]);
  expect(await second.services.persistence.config.patch()).toEqual({});
});

test("C18 unset takes away the value and the parents it leaves empty, and no others", async () => {
  const here = place();
  const { host, services } = await here.runtime().start();
  await host.config.set("context_management.compact.enabled", "false");
  await host.config.set("context_management.enabled", "false");
  await host.config.set("models.worker", "m");
  const patch = () => services.persistence.config.patch();
  await host.config.unset("context_management.compact.enabled");
  expect(await patch()).toEqual({ context_management: { enabled: false }, models: { worker: "m" } });
  await host.config.unset("context_management.enabled");
  await host.config.unset("models.worker");
  expect(await patch()).toEqual({});
  await host.config.unset("models.worker"); // what is not set can be unset again
  expect(await patch()).toEqual({});
});

test("C2 objects merge key by key; lists and values replace", async () => {
  const here = place();
  here.user({ models: { worker: "u", explorer: "u" }, llm_config: { retry_backoff_ms: [1, 2, 3], stream: false } });
  here.project({ models: { worker: "p" }, llm_config: { retry_backoff_ms: [9] } });
  const { services } = await here.runtime({ config: { models: { default: "f" } } }).start();
  const { models, llm_config } = services.config.effective();
  expect([models, llm_config.retry_backoff_ms, llm_config.stream]).toEqual([
    { worker: "p", explorer: "u", default: "f" },
    [9],
    false,
  ]);
});

test("C14 C15 C17 faults 204 205 206 207 what may not be set is refused with the nearest name, and nothing is written", async () => {
  const here = place();
  const text = '{ "default_model": "m",\n\t"ui": { "rain": false } /* as it was */ }';
  here.user(text);
  const { host, services } = await here.runtime().start();
  await host.config.set("max_rounds", "5");
  const refused: readonly (readonly [string, string, string])[] = [
    ["foo", "1", "foo is no configuration key. /config list shows what can."],
    ["max_round", "1", "max_round is no configuration key. Did you mean max_rounds?"],
    ["api_url", "http://h", "api_url is no configuration key. Did you mean llm_config.api_url?"],
    ["llm_config.api_ulr", "http://h", "llm_config.api_ulr is no configuration key. Did you mean llm_config.api_url?"],
    ["providers", "[]", "providers can't be set at run time. /config list shows what can."],
    ["gateway.port", "80", "gateway.port can't be set at run time. /config list shows what can."],
    ["llm_config", "{}", "llm_config holds several keys. Set one of them, as llm_config.api_url."],
    ["models", '{"worker":"m"}', "models holds several keys. Set one of them, as models.NAME."],
    ["models.a.b", "m", "models.a.b can't be set at run time. /config list shows what can."],
    ["__proto__.polluted", "1", "__proto__.polluted is no configuration key. /config list shows what can."],
    ["models.__proto__", "x", '"models.__proto__" is no configuration path. Write it as llm_config.api_url.'],
    ["models.constructor", "x", '"models.constructor" is no configuration path. Write it as llm_config.api_url.'],
    ["max_rounds", "0", "max_rounds is 0: too small: expected number to be >0."],
    ["max_rounds", "eighty", 'max_rounds is "eighty": expected number, received string.'],
    ["max_rounds", '"80"', 'max_rounds is "80": expected number, received string.'],
    ["max_rounds", "null", "max_rounds can't be null. /config unset max_rounds takes it away."],
    ["temperature", "1e999", "temperature is Infinity: expected number, received Infinity."],
  ];
  const got = [];
  for (const [path, value] of refused) {
    const message = await host.config.set(path, value).then(
      () => "accepted",
      (error: Error) => error.message,
    );
    got.push([path, value, message]);
  }
  expect(got).toEqual(refused);
  expect(await services.persistence.config.patch()).toEqual({ max_rounds: 5 });
  expect(readFileSync(here.user_file, "utf8")).toBe(text);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("C24 null in a flag unsets what is below, whatever other flags say beside it", async () => {
  const { overrideLayer } = await import("../src/index.ts");
  const here = place();
  here.user({ llm_config: { api_url: "http://h", stream: false }, default_model: "m", providers: [] });
  const flags = ["llm_config.stream=true", "llm_config.api_url=null", "default_model=null", "max_rounds=7"];
  const { services, host } = await here.runtime({ config: overrideLayer(flags) }).start();
  const { llm_config, default_model, max_rounds } = services.config.effective();
  expect([llm_config.stream, llm_config.api_url, default_model, max_rounds]).toEqual([true, undefined, undefined, 7]);
  const { value, winner } = await host.config.explain("llm_config.api_url");
  expect([value, winner]).toEqual([null, "flags"]);
  expect(() => overrideLayer(["max_round=null"])).toThrow(
    "max_round is no configuration key. Did you mean max_rounds?",
  );
});

test("C19 fault 210 a saved patch that no longer fits is left out with a warning; the rest of it counts", async () => {
  const here = place();
  const first = await here.runtime().start();
  const patch = { max_rounds: "many", temperature: 1, gone: { key: 1 }, llm_config: { stream: 1 } };
  await first.services.persistence.config.setPatch(patch);
  await first.services.persistence.close();
  const { services, notices } = await here.runtime().start();
  const { max_rounds, temperature, llm_config } = services.config.effective();
  expect([max_rounds, temperature, llm_config.stream]).toEqual([undefined, 1, true]);
  expect(notices).toEqual([
    {
      level: "warn",
      text: 'What /config set saved no longer fits and is ignored: max_rounds is "many": expected number, received string. llm_config.stream is 1: expected boolean, received number. gone is no configuration key. Did you mean mode?',
    },
  ]);
});

test("C19 what another process saved meanwhile is not lost", async () => {
  const here = place();
  const [first, second] = [await here.runtime().start(), await here.runtime().start()];
  await first.host.config.set("max_rounds", "5");
  await second.host.config.set("temperature", "1");
  await first.host.config.unset("max_rounds");
  await first.host.config.set("models.worker", "m");
  expect(await second.services.persistence.config.patch()).toEqual({ temperature: 1, models: { worker: "m" } });
});

test("C21 C31 fault 209 a running turn keeps its frozen configuration; the next request has what was set meanwhile", async () => {
  const here = place();
  let release = () => {};
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  const llm = await model([{ say: "one", after }, { say: "two" }]);
  const runtime = here.runtime({ config: llm.config });
  const turn = runtime.run("hi");
  await llm.received(1);
  const snapshot = runtime.currentTurn()?.config_snapshot;
  await (await runtime.start()).host.config.set("temperature", "0.5");
  expect(runtime.currentTurn()?.config_snapshot).toBe(snapshot);
  expect([snapshot?.temperature, Object.isFrozen(snapshot?.llm_config.retry_backoff_ms)]).toEqual([undefined, true]);
  release();
  await turn;
  await runtime.run("again");
  expect(llm.requests.map((request) => bodyOf(request).temperature)).toEqual([undefined, 0.5]);
});

test("C11 a model for a role that is none is told with the nearest name, and nothing else happens", async () => {
  const here = place();
  const runtime = here.runtime({ config: { models: { explroer: "m", worker: "w" } } });
  expect((await runtime.start()).notices).toEqual([
    { level: "warn", text: "models.explroer is for no role. Did you mean models.explorer?" },
  ]);
});

import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createRuntime, SERVICE_NAMES, serviceOptions } from "../src/index.ts";
import { bodyOf, model, place, systemOf } from "./place.ts";

test("R1 the runtime composes exactly ten services, each a frozen handle", async () => {
  const { services } = await place().runtime().start();
  const ten = ["role", "model", "tool", "dispatch", "conversation", "persistence", "config", "ui", "prompt", "command"];
  expect([Object.keys(services), SERVICE_NAMES]).toEqual([ten, ten]);
  const open = Object.entries(services).filter(([, handle]) => !Object.isFrozen(handle));
  expect([Object.isFrozen(services), open.map(([name]) => name)]).toEqual([true, []]);
});

test("R2 the options of a service are those under services, else the table at the top level, else none", () => {
  const top = { frame: "top" };
  const inner = { frame: "inner" };
  expect(serviceOptions({ prompt: top, services: { prompt: inner } }, "prompt")).toBe(inner);
  expect(serviceOptions({ prompt: top, services: { model: {} } }, "prompt")).toBe(top);
  expect(serviceOptions({ prompt: top }, "prompt")).toBe(top);
  expect([serviceOptions({}, "prompt"), serviceOptions({ prompt: "no table" }, "prompt")]).toEqual([{}, {}]);
});

test("R2 both ways reach the service, and the one under services wins", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const here = place();
  await here.runtime({ config: llm.config, prompt: { frame: "TOP" } }).run("hi");
  await here
    .runtime({ config: llm.config, prompt: { frame: "TOP" }, services: { prompt: { frame: "INNER" } } })
    .run("hi");
  expect(llm.requests.map((request) => systemOf(request).split("\n")[0])).toEqual(["TOP", "INNER"]);
});

test("R2 N2 the model service's own options stand above the configuration: steps 2, 3 and 6 of eight", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }, { say: "3" }, { say: "4" }]);
  const here = place();
  const config = { ...llm.config, models: { direct: "config role", default: "config key" }, default_model: "config" };
  const play = async (services: object, layer: object) =>
    (await here.runtime({ config: { ...llm.config, ...layer }, services: { model: services } as never }).run("hi"))
      .model;
  const own = { models: { direct: "own role", default: "own key" }, default_model: "own" };
  expect([
    await play(own, config),
    await play({ ...own, models: { default: "own key" } }, config),
    await play({ default_model: "own" }, config),
    await play({ default_model: "own" }, {}),
  ]).toEqual(["own role", "own key", "config role", "own"]);
  expect(llm.requests.map((request) => bodyOf(request).model)).toEqual(["own role", "own key", "config role", "own"]);
});

test("R3 a handle that is passed in is the service, and the turn uses it", async () => {
  const llm = await model([{ say: "1" }]);
  const here = place();
  const prompt = { build: () => "A prompt of my own." };
  const ui = { notify: () => {} };
  const { services } = await here.runtime({ service_handles: { prompt, ui } }).start();
  expect([services.prompt, services.ui]).toEqual([prompt, ui]);
  expect(services.prompt).toBe(prompt);
  expect(services.ui).toBe(ui);
  await here.runtime({ config: llm.config, service_handles: { prompt } }).run("hi");
  expect(systemOf(llm.requests[0])).toBe("A prompt of my own.");
});

test("R2 R3 no file can set a service's options or handles", async () => {
  const here = place();
  for (const key of ["service_handles", "prompt", "services.prompt", "services.model"]) {
    here.user(
      key === "services.prompt" || key === "services.model" ? { services: { [key.slice(9)]: {} } } : { [key]: {} },
    );
    await expect(here.runtime().start()).rejects.toMatchObject({
      message: `${here.user_file}:${key.includes(".") ? 3 : 2}:${key.includes(".") ? 5 : 3}: ${key} is no configuration key. See docs/CONFIG.md for every key.`,
    });
  }
});

test("R17 a runtime that nobody used has touched nothing", async () => {
  const here = place();
  here.user("{ broken");
  const runtime = here.runtime();
  runtime.subscribe(() => {});
  expect([runtime.state().status, runtime.currentTurn(), runtime.events()]).toEqual(["created", null, []]);
  expect([readdirSync(here.home), existsSync(here.database)]).toEqual([["config.json"], false]);
  await expect(runtime.start()).rejects.toMatchObject({ kind: "schema", code: "config" });
});

test("R17 by default no file is read and nothing is kept", async () => {
  const runtime = createRuntime({ env: {} });
  const { host, notices } = await runtime.start();
  expect([host.config.files(), notices]).toEqual([{ user: null, project: null, database: null }, []]);
  await runtime.close();
});

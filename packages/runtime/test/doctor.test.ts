import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Check } from "@smith/contract/doctor";
import { startRoutes } from "@smith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { model, place } from "./place.ts";

/** The checks of one name. */
const named = (checks: readonly Check[], name: string) => checks.filter((check) => check.name === name);
const broken = (checks: readonly Check[]) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

test("K11 where all is well each check says what it found, and nothing is to be mended", async () => {
  const llm = await model([]);
  const here = place();
  here.user(llm.config);
  const checks = await here.runtime().diagnose();
  expect(checks.map(({ name }) => name)).toEqual([
    ...["node", "system", "sqlite", "home", "config", "database", "git", "ripgrep", "terminal", "local servers"],
    ...["model", "provider default", "proxy"],
  ]);
  expect(broken(checks)).toEqual([]);
  expect([named(checks, "node")[0]?.detail, named(checks, "home")[0]?.detail]).toEqual([
    process.versions.node,
    here.home,
  ]);
  expect([...named(checks, "model"), ...named(checks, "provider default")]).toEqual([
    {
      ...{ name: "model", ok: true, mend: null },
      detail: `scripted at ${llm.url}: the configuration (default_model); a window of 128,000 tokens`,
    },
    {
      name: "provider default",
      ok: true,
      mend: null,
      detail: `${llm.url} answers and lists 1 model, scripted among them`,
    },
  ]);
  expect(llm.requests.length).toBe(0); // no model was asked anything
});

test("K11 K9 with no model at all the three ways to set one are the mend", async () => {
  const [check] = named(await place().runtime().diagnose(), "model");
  expect([check?.ok, check?.detail, check?.mend?.split("\n").map((line) => line.split(":")[0])]).toEqual([
    false,
    "no model is set.",
    ["a key", "a local server", "a configuration"],
  ]);
});

test("K11 each provider is told apart: no key, nobody there, the wrong key, no such model, no list, no model loaded", async () => {
  const routes = {
    "/denied/models": 401,
    "/other/models": { data: [{ id: "a" }, { id: "b" }] },
    "/none/models": 404,
    "/empty/models": { data: [] },
    "/dated/models": { data: [{ id: "mine-20260101" }] },
  };
  const server = await startRoutes(routes);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const provider = (name: string, api_url = `${server.origin}/${name}`) => ({
    name,
    kind: "openai_chat",
    model: "mine",
    api_url,
  });
  const here = place();
  here.user({
    providers: [
      ...["dated", "denied", "other", "none", "empty"].map((name) => provider(name)),
      provider("gone", "http://127.0.0.1:1/v1"),
      { ...provider("keyless", "https://api.example.org/v1"), api_key_env: "NO_SUCH_KEY" },
      { name: "foreign", kind: "ai_sdk", package: "@ai-sdk/google", model: "mine" },
    ],
  });
  const checks = await here.runtime().diagnose();
  const told = checks
    .filter(({ name }) => name.startsWith("provider "))
    .map(({ name, ok, detail, mend }) => [name.slice(9), ok, detail.replaceAll(server.origin, ""), mend]);
  expect(told).toEqual([
    ["dated", true, "/dated answers and lists 1 model, mine among them", null],
    [
      "denied",
      false,
      "denied at /denied/models answered 401: no. No key was sent: set LLM_API_KEY.",
      "Set the right key.",
    ],
    ["other", false, "/other answers and lists 2 models, but not mine", "Set its model to one of: a, b."],
    ["none", true, "/none answers, but lists no models", "Whether it knows the model will show with the first turn."],
    ["empty", false, "/empty answers and lists 0 models", "Load or pull a model there."],
    [
      "gone",
      false,
      "gone at http://127.0.0.1:1/v1 could not be reached (ECONNREFUSED): nothing listens there. Start the server or check llm_config.api_url.",
      "Start the server, or mend the address.",
    ],
    [
      "foreign",
      false,
      `The provider foreign needs the package @ai-sdk/google, which is not installed. Run: npm install --prefix ${here.home} @ai-sdk/google`,
      "Do what the line says.",
    ],
    [
      "keyless",
      false,
      "The provider keyless is left out: api.example.org needs a key, and NO_SUCH_KEY is not set.",
      "export NO_SUCH_KEY=…, or name another variable in its api_key_env.",
    ],
  ]);
});

test("K11 C25 a broken file of the user's is told with its place, and the other checks are made all the same", async () => {
  const here = place();
  here.user('{\n  "max_rounds": "many"\n}');
  const checks = await here.runtime().diagnose();
  const [config] = named(checks, "config");
  expect([config?.ok, config?.detail.startsWith(`${here.user_file}:2:`), config?.mend]).toEqual([
    false,
    true,
    `Mend that line of ${here.user_file}.`,
  ]);
  expect(broken(checks)).toEqual(["config", "model"]);
});

test("K11 fault 208 what a project's file may not set, a key that others may read, a key in place of a name: each is told", async () => {
  const llm = await model([]);
  const here = place();
  here.user({
    providers: [
      {
        name: "far",
        kind: "openai_chat",
        api_url: llm.url,
        model: "scripted",
        api_key: "sk-CANARY",
        api_key_env: "sk-CANARY-0123",
      },
    ],
  });
  chmodSync(here.user_file, 0o644);
  here.project({ plugins: ["evil"] });
  const config = named(await here.runtime().diagnose(), "config");
  expect(config.map(({ ok, mend }) => [ok, mend === null])).toEqual([
    [true, true],
    [true, false],
    [true, true],
    [true, false],
    [false, false],
  ]);
  expect(config[3]?.mend).toBe(
    `chmod 600 ${here.user_file}, or put the key into a variable and name that in api_key_env.`,
  );
  expect(JSON.stringify(config)).not.toContain("CANARY");
});

test("K11 a database that is no file, and one that others may read; a home that is no folder", async () => {
  const [open, odd, home] = [place(), place(), place()];
  writeFileSync(open.database, "", { mode: 0o644 });
  mkdirSync(odd.database);
  writeFileSync(`${home.home}/file`, "");
  const at = (database: string) => ({ database, user_file: null });
  expect(named(await open.runtime().diagnose(), "database")).toEqual([
    {
      name: "database",
      ok: true,
      detail: `${open.database}, 0.0 MB, which others may read`,
      mend: `chmod 600 ${open.database}: all that was said stands in it.`,
    },
  ]);
  expect(named(await odd.runtime().diagnose(), "database")).toEqual([
    {
      name: "database",
      ok: false,
      detail: `${odd.database} is no file`,
      mend: "Move it away, or set SMITH_HOME to another folder.",
    },
  ]);
  const inside = `${home.home}/file/smith.db`;
  expect(named(await home.runtime(at(inside)).diagnose(), "home")).toEqual([
    {
      name: "home",
      ok: false,
      detail: `${dirname(inside)} is no folder`,
      mend: `Move ${dirname(inside)} away, or set SMITH_HOME to another folder.`,
    },
  ]);
});

test("K11 the proxy that providers are asked through is named, and one that is no address is broken", async () => {
  const far = { providers: [{ name: "far", kind: "ollama", api_url: "http://127.0.0.1:1", model: "m" }] };
  const proxyWith = async (HTTP_PROXY: string) => {
    const here = place();
    here.user(far);
    return named(await here.runtime({ env: { SMITH_NO_PROBE: "1", HTTP_PROXY } }).diagnose(), "proxy")[0];
  };
  expect([await proxyWith("http://127.0.0.1:9"), (await proxyWith("ftp://x"))?.ok]).toEqual([
    { name: "proxy", ok: true, detail: "127.0.0.1:1 through http://127.0.0.1:9 (HTTP_PROXY)", mend: null },
    false,
  ]);
});

test("K11 G13 G22 the gateway is looked at as far as it is set up", async () => {
  const here = place();
  const allowed_users = { telegram: [1, 2], discord: ["3"], irc: ["x"] };
  here.user({ gateway: { bind: "0.0.0.0", allowed_users } });
  const look = async (env: Readonly<Record<string, string>>) =>
    (await here.runtime({ env: { SMITH_NO_PROBE: "1", ...env } }).diagnose())
      .filter(({ name }) => name.startsWith("gateway"))
      .map(({ name, ok, detail, mend }) => [name, ok, detail, mend !== null]);
  expect(await look({ SMITH_TELEGRAM_TOKEN: "1:t", SMITH_TWITCH_TOKEN: "t" })).toEqual([
    ["gateway webhook", false, "it would listen on 0.0.0.0 without a token, and does not start so", true],
    ["gateway telegram", true, "2 users and 0 chats are let in", false],
    ["gateway discord", true, "SMITH_DISCORD_TOKEN must be set: it is idle", true],
    ["gateway twitch", true, "SMITH_TWITCH_NICK, SMITH_TWITCH_CHANNELS must be set: it is idle", true],
    ["gateway", true, 'a list of "irc" is for no platform', true],
  ]);
  here.user({});
  const twitch = { SMITH_TWITCH_TOKEN: "t", SMITH_TWITCH_NICK: "n", SMITH_TWITCH_CHANNELS: "c" };
  expect(await look({ SMITH_GATEWAY_TOKEN: "short", ...twitch })).toEqual([
    ["gateway webhook", true, "its token has 5 characters", true],
    ["gateway twitch", true, "nobody is let in", true],
  ]);
});

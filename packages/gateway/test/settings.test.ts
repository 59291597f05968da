import { Config } from "@smith/contract/config";
import type { AgentEvent } from "@smith/contract/event";
import { describe, expect, test } from "vitest";
import { isAllowed } from "../src/allow.ts";
import { commandOf } from "../src/commands.ts";
import { parseIrc } from "../src/irc.ts";
import { createDiscreet, errorReply } from "../src/reply.ts";
import { secretsOf, webhookSettings } from "../src/settings.ts";
import { createWatch } from "../src/watch.ts";

const config = (gateway: object = {}) => Config.parse({ gateway });

test("G12 G13 where the webhook listens: the environment over the configuration, a port that is none is 8089, others need a token", () => {
  const listens = (env: Readonly<Record<string, string>>, gateway = {}) => {
    const { bind, port, token, warnings } = webhookSettings(config(gateway), env);
    return [bind, port, token, warnings.length];
  };
  expect(listens({})).toEqual(["127.0.0.1", 8089, null, 0]);
  expect(listens({ SMITH_GATEWAY_PORT: "9000" }, { port: 9001 })).toEqual(["127.0.0.1", 9000, null, 0]);
  expect(listens({ SMITH_GATEWAY_PORT: " " }, { port: 9001, bind: "::1" })).toEqual(["::1", 9001, null, 0]);
  for (const port of ["0", "65536", "80a", "-1", "1e3", "8.5"]) {
    expect(listens({ SMITH_GATEWAY_PORT: port }, { port: 9001 })).toEqual(["127.0.0.1", 8089, null, 1]);
  }
  for (const bind of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example"]) {
    expect(() => listens({ SMITH_GATEWAY_BIND: bind, SMITH_GATEWAY_TOKEN: " " })).toThrow(
      "SMITH_GATEWAY_TOKEN is not set",
    );
    expect(listens({ SMITH_GATEWAY_BIND: bind, SMITH_GATEWAY_TOKEN: "t" })).toEqual([bind, 8089, "t", 0]);
  }
});

test("G22 nobody is let in who is not named; with users and chats named, both must be", () => {
  const lists = {
    allowed_users: { telegram: [7, "Ann"], discord: [] },
    allowed_chats: { telegram: [-5], twitch: ["room"] },
  };
  const { gateway } = config(lists);
  type Pair = readonly [id: string | null, name?: string];
  const ask = (platform: "telegram" | "discord" | "twitch", user: Pair, chat: Pair, named = gateway) => {
    const [sender, place] = [user, chat].map(([id, name = null]) => ({ id, name }));
    return sender !== undefined && place !== undefined && isAllowed(named, platform, { user: sender, chat: place });
  };
  expect([ask("telegram", ["7"], ["-5"]), ask("telegram", ["9", "ann"], ["-5"])]).toEqual([true, true]);
  expect([ask("telegram", ["7"], ["7"]), ask("telegram", ["8"], ["-5"])]).toEqual([false, false]);
  expect([ask("twitch", ["1"], ["2", "room"]), ask("twitch", ["1"], ["2", "rooms"])]).toEqual([true, false]);
  expect(ask("discord", ["7"], ["70"])).toBe(false);
  expect(ask("telegram", ["__proto__", "toString"], ["1"], config().gateway)).toBe(false);
  // who calls himself by somebody's id, or has an id that is somebody's name, is not that somebody
  expect([ask("telegram", ["999", "7"], ["-5"]), ask("telegram", [null, "7"], ["-5"])]).toEqual([false, false]);
  expect([ask("telegram", ["ann", "eve"], ["-5"]), ask("telegram", ["7"], ["1", "-5"])]).toEqual([false, false]);
});

describe("G7 what a chat is told of an error", () => {
  const discreet = createDiscreet({ roots: ["/srv/app"], home: "/home/ann", values: ["s3cret-value", "x"] });
  const cases: readonly (readonly [string, string])[] = [
    ["", "something went wrong"],
    ["The model at http://127.0.0.1:8080/v1 can't be reached.", "The model at [address] can't be reached."],
    ["connect ECONNREFUSED 10.1.2.3:443", "connect ECONNREFUSED [address]"],
    ["connect ECONNREFUSED ::1:8080", "connect ECONNREFUSED [address]"],
    ["getaddrinfo ENOTFOUND llm.intern.example", "getaddrinfo ENOTFOUND [address]"],
    ["no /etc/passwd, ~/x and /srv/app/src/a.ts", "no [path], [path] and src/a.ts"],
    ["/srv/app-two/b is not /srv/app", "[path] is not ."],
    [
      "key s3cret-value of sk-abcdefghijklmnop1234 and 123456789:AAAAAAAAAABBBBBBBBBBCCCCCCCCCC12",
      "key [key] of [key] and [key]",
    ],
    ["Authorization: Bearer abc.def", "Authorization: [key]"],
    ["two\nlines\tand \u001b[31mcolour", "two lines and [31mcolour"],
  ];
  test.each(cases)("%j", (message, said) => {
    expect(errorReply(message, discreet)).toBe(`agent error: ${said}`);
  });

  test("at most 300 characters, none of them half", () => {
    const line = errorReply("😀".repeat(400), discreet);
    expect([line.length <= 300, line.isWellFormed(), line.endsWith("…")]).toEqual([true, true, true]);
  });
});

test("G7 no chat is shown the project's root, nor a key that the environment, the configuration or a form gives away", () => {
  const parsed = Config.parse({
    providers: [
      {
        name: "p",
        kind: "openai_chat",
        api_url: "https://p.example/v1",
        model: "m",
        api_key: "written-key",
        api_key_env: "MINE",
      },
    ],
    services: { tool: { web_search: { api_key_env: "LOOKS" } } },
    mcp_servers: {
      web: { url: "https://m.example", headers: { Authorization: `Bearer \${WEB}`, "x-id": "header-value" } },
      own: { command: "own", env: { DSN: "postgres-dsn-value" } },
    },
  });
  const env = {
    ...{ MINE: "named-by-provider", LOOKS: "named-by-search", WEB: "named-by-header", MY_DB_DSN: "secret-by-name" },
    ...{ GITHUB_TOKEN_2: "secret-by-word", EDITOR: "an-editor" },
  };
  const discreet = createDiscreet(secretsOf(parsed, env, ["/srv/app/packages/one", "/srv/app"]));
  const shown = [...Object.values(env), "written-key", "header-value", "postgres-dsn-value"].map(discreet);
  expect(shown.filter((text) => text !== "[key]")).toEqual(["an-editor"]);
  for (const form of ["ghp_abcdefgh1234", "AKIAABCDEFGHIJKL1", "glpat-abcd1234efgh"])
    expect(discreet(form)).toBe("[key]");
  expect(discreet("postgres://bob:pw@db/x")).toBe("postgres://[key]@db/x");
  expect(discreet("send a bearer token; **bold** and *** stay")).toBe("send a bearer token; **bold** and *** stay");
  expect(discreet("/srv/app/a.ts, /srv/app/packages/one/b.ts, /srv/app, /srv/app-two")).toBe(
    "a.ts, b.ts, ., /srv/app-two",
  );
});

test("G16 what begins with a slash is a command when its first word is one", () => {
  const all = [
    "/start",
    "/start@smith_bot x",
    "/startup fails, why?",
    " /new",
    "/NEW@smith_bot x",
    "/usr/bin/x",
    "/ what",
    "new",
    "/cancel",
    "/rm -rf",
  ];
  expect(all.map(commandOf)).toEqual([
    "start",
    "start",
    "unknown",
    "new",
    "new",
    null,
    null,
    null,
    "cancel",
    "unknown",
  ]);
});

test("G18 a line of IRC is taken apart: tags, who, what; text that looks like a command stays text", () => {
  const line = parseIrc("@id=a\\sb\\:;user-id=7;x :ann!ann@ann.tmi.twitch.tv PRIVMSG #room :PRIVMSG #other :hi");
  expect([line?.nick, line?.command, line?.params]).toEqual(["ann", "PRIVMSG", ["#room", "PRIVMSG #other :hi"]]);
  expect([...(line?.tags ?? [])]).toEqual([
    ["id", "a b;"],
    ["user-id", "7"],
    ["x", ""],
  ]);
  expect(parseIrc("PING :tmi.twitch.tv")?.params).toEqual(["tmi.twitch.tv"]);
  expect(parseIrc(":tmi.twitch.tv 001 bot :Welcome")?.command).toBe("001");
  expect([parseIrc(""), parseIrc("@"), parseIrc(":only")]).toEqual([null, null, null]);
});

test("G8 text goes out by whole lines, and a line without an end costs no more the longer it grows", () => {
  const told: string[] = [];
  const watch = createWatch({ text: (text) => void told.push(text) }, (text) => text);
  const say = (text: string) => watch({ type: "llm_text_delta", text } as AgentEvent);
  for (const text of ["a", "b\nc\nd", "", "e\n", "f"]) say(text);
  const began = performance.now();
  for (let n = 0; n < 60_000; n++) say("0123456789");
  expect(performance.now() - began).toBeLessThan(2000);
  say("\n");
  expect(told.slice(0, 2)).toEqual(["ab\nc\n", "de\n"]);
  expect([told.length, told[2]?.length]).toEqual([3, 600_002]);
});

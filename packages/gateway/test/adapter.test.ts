import { backoffMs, sleep } from "@smith/contract/wait";
import { expect, test } from "vitest";
import type { AdapterParts } from "../src/adapter.ts";
import { createDiscord } from "../src/discord.ts";
import type { Adapter } from "../src/platform.ts";
import { createTelegram } from "../src/telegram.ts";
import { createTwitch } from "../src/twitch.ts";
import { createWebhook } from "../src/webhook.ts";

test("G24 an adapter is its name, start and stop, and may deliver later; one that never started stops at once, twice too", async () => {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const parts: AdapterParts = {
    ...{ env: {}, say, isWelcome: () => true, wait: { sleep, backoffMs } },
    fail: (reason) => say(`failed: ${reason}`),
  };
  const token = "t";
  const adapters: readonly Adapter[] = [
    createWebhook({ settings: { bind: "127.0.0.1", port: 0, token: null, warnings: [] }, say }),
    createTelegram({ ...parts, token }),
    createDiscord({ ...parts, token }),
    createTwitch({ ...parts, token, nick: "smith", channels: ["room"] }),
  ];
  expect(adapters.map(({ name, start, stop, deliver }) => [name, typeof start, typeof stop, typeof deliver])).toEqual([
    ["webhook", "function", "function", "undefined"],
    ["telegram", "function", "function", "function"],
    ["discord", "function", "function", "function"],
    ["twitch", "function", "function", "function"],
  ]);
  for (const adapter of [...adapters, ...adapters]) await adapter.stop(new AbortController().signal);
  expect(said).toEqual([]);
});

import { expect, test } from "vitest";
import { echoModel } from "./echo-model.ts";
import { fakeDiscord } from "./fake-discord.ts";
import { model, scene } from "./scene.ts";

const env = { SMITH_DISCORD_TOKEN: "d-token" };
const gateway = { allowed_users: { discord: ["7", "9"] } };

test("G17 G22: who is named is answered, without the mention; strangers and bots are not; nobody is pinged", async () => {
  const discord = await fakeDiscord();
  const echo = await echoModel();
  const { saying } = await scene({
    config: { ...echo.config, gateway },
    platforms: ["discord"],
    env,
    urls: { discord: discord.url },
  });
  await discord.until(() => discord.logins.length === 1);
  discord.push("<@99> one @everyone");
  discord.push("stranger", { user: "8" });
  discord.push("bot", { bot: true });
  discord.push("two", { user: "9", channel: "71" });
  await discord.until(() => discord.sent.length === 2);
  await saying("ignored a message of user 8 in chat 70");
  expect(discord.sent.toSorted((a, b) => a.channel.localeCompare(b.channel))).toEqual([
    { method: "POST", channel: "70", content: "echo: one @everyone", allowed_mentions: { parse: [] } },
    { method: "POST", channel: "71", content: "echo: two", allowed_mentions: { parse: [] } },
  ]);
  expect(discord.intents() & (512 | 32_768)).toBe(512 | 32_768);
});

test("G17 G25: long answers come in pieces of 2,000 characters, code blocks whole in each", async () => {
  const discord = await fakeDiscord();
  const text = `Look:\n\`\`\`ts\n${"const a = 1;\n".repeat(400)}\`\`\`\nDone.`;
  const llm = await model([{ say: text }]);
  await scene({ config: { ...llm.config, gateway }, platforms: ["discord"], env, urls: { discord: discord.url } });
  await discord.until(() => discord.logins.length === 1);
  discord.push("long");
  await discord.until(() => discord.sent.length === 3);
  for (const { content } of discord.sent) expect((content.match(/```/g) ?? []).length).toBe(2);
});

test("G17 G26 fault 236: a lost connection is resumed; when that fails it is tried later; sending waits when asked", async () => {
  const discord = await fakeDiscord();
  const echo = await echoModel();
  const { saying } = await scene({
    config: { ...echo.config, gateway },
    platforms: ["discord"],
    env,
    urls: { discord: discord.url },
  });
  await discord.until(() => discord.logins.length === 1);
  discord.close(4000);
  await discord.until(() => discord.logins.length === 2);
  expect(discord.logins).toEqual(["identify", "resume"]);
  discord.close(4000, 4000);
  expect(await saying("trying again")).toBe("discord: the connection to Discord is lost; trying again.");
  const lostAt = performance.now();
  await saying("connected again");
  expect(performance.now() - lostAt).toBeGreaterThan(1900);
  expect(discord.logins).toEqual(["identify", "resume", "closed", "identify"]);
  discord.refuse(429, 500);
  discord.push("one");
  await discord.until(() => discord.sent.length === 1);
  expect(discord.sent[0]?.content).toBe("echo: one");
});

test("G26: a close that is final, and a wrong token, end the adapter with the mend", async () => {
  const discord = await fakeDiscord();
  const echo = await echoModel();
  const options = { config: { ...echo.config, gateway }, platforms: ["discord"], urls: { discord: discord.url } };
  const wrong = await scene({ ...options, env: { SMITH_DISCORD_TOKEN: "other" } });
  expect(await wrong.saying("stopped")).toContain("Look at SMITH_DISCORD_TOKEN");
  await wrong.gateway.ended;
  const right = await scene({ ...options, env });
  await discord.until(() => discord.logins.length === 1);
  discord.close(4014);
  expect(await right.saying("stopped")).toContain("intents");
  await right.gateway.ended;
  expect(discord.logins).toEqual(["identify"]);
});

import { describe, expect, test } from "vitest";
import { CAPS } from "../src/index.ts";
import { echoModel, latch } from "./echo-model.ts";
import { fakeTelegram } from "./fake-telegram.ts";
import { model, scene } from "./scene.ts";

const env = { SMITH_TELEGRAM_TOKEN: "1:t" };
const allowed = { gateway: { allowed_users: { telegram: [7, "user9"] } } };

describe("Telegram", () => {
  test("G16 G22: who is named is answered, in order; strangers and bots are not; media get a sentence", async () => {
    const telegram = await fakeTelegram();
    const echo = await echoModel();
    const { said } = await scene({
      config: { ...echo.config, ...allowed },
      platforms: ["telegram"],
      env,
      urls: { telegram: telegram.url },
    });
    telegram.push("one");
    telegram.push("stranger", { user: 8 });
    telegram.push("bot", { is_bot: true });
    telegram.push({ photo: [{ file_id: "x" }], caption: "look" });
    telegram.push({ new_chat_members: [] });
    telegram.push("/start");
    telegram.push("@smith_bot two", { user: 9, chat: -5, type: "supergroup" });
    await telegram.until(4);
    const replies = telegram.sent.map(({ chat_id, text }) => [chat_id, text]);
    expect(replies.filter(([chat]) => chat === 7).sort()).toEqual([
      [7, "echo: one"],
      [7, "hello"],
      [7, "media not supported yet"],
    ]);
    expect(replies.filter(([chat]) => chat !== 7)).toEqual([[-5, "echo: two"]]);
    expect(telegram.sent.find(({ chat_id }) => chat_id === -5)?.reply_parameters?.message_id).toBe(106);
    expect(said.filter((line) => line.includes("ignored"))).toEqual([
      "telegram: ignored a message of user 8 in chat 8. To let it in, name them in gateway.allowed_users.telegram or gateway.allowed_chats.telegram.",
    ]);
    expect(echo.lines.toSorted()).toEqual(["one", "two"]);
    expect(telegram.offsets.at(-1)).toBe(107);
  });

  test("G16 G22: users and chats named: both must be; none named: nobody is let in", async () => {
    const telegram = await fakeTelegram();
    const echo = await echoModel();
    const gateway = { allowed_users: { telegram: [7] }, allowed_chats: { telegram: ["-5"] } };
    const options = { platforms: ["telegram"], env, urls: { telegram: telegram.url } };
    const both = await scene({ config: { ...echo.config, gateway }, ...options });
    telegram.push("private");
    telegram.push("other", { user: 8, chat: -5 });
    telegram.push("right", { user: 7, chat: -5 });
    await telegram.until(1);
    expect(telegram.sent.map(({ text }) => text)).toEqual(["echo: right"]);
    await both.gateway.close();
    const none = await scene({ config: echo.config, ...options });
    telegram.push("anybody?");
    await none.saying("ignored a message of user 7");
    expect(echo.lines).toEqual(["right"]);
  });

  test("B96 G25: 9,000 characters come in pieces that Telegram takes; a refused one is told of", async () => {
    const telegram = await fakeTelegram();
    const text = `${"word 😀 ".repeat(500)}\n\`\`\`ts\n${"line 😀\n".repeat(600)}\`\`\`\nend`;
    const llm = await model([{ say: text }, { say: "no" }]);
    const options = {
      config: { ...llm.config, ...allowed },
      platforms: ["telegram"],
      env,
      urls: { telegram: telegram.url },
    };
    const { saying } = await scene(options);
    telegram.push("long");
    await telegram.until(3);
    const bare = (all: string) => all.replaceAll(/```(ts)?|\s/g, "");
    expect(bare(telegram.sent.map((each) => each.text).join(""))).toBe(bare(text));
    telegram.refuse("sendMessage", { code: 403, description: "Forbidden: bot was blocked by the user" });
    telegram.push("more");
    expect(await saying("was not sent")).toBe(
      "telegram: an answer to chat 7 was not sent: Telegram answered 403: Forbidden: bot was blocked by the user",
    );
  });

  test("fault 236: when Telegram asks to wait, or fails, what is to be sent is sent again; a wrong token ends it", async () => {
    const telegram = await fakeTelegram();
    const echo = await echoModel();
    const config = { ...echo.config, ...allowed };
    const { saying, gateway } = await scene({ config, platforms: ["telegram"], env, urls: { telegram: telegram.url } });
    telegram.refuse("sendMessage", { code: 429, retry_after: 1 });
    telegram.push("one");
    await telegram.until(1);
    expect(telegram.sent.map(({ text }) => text)).toEqual(["echo: one"]);
    telegram.refuse("getUpdates", { code: 401, description: "Unauthorized" });
    telegram.push("two");
    expect(await saying("stopped")).toContain("Set SMITH_TELEGRAM_TOKEN");
    await gateway.ended;
  });

  test("fault 232: what was taken in and not answered is answered after a restart, and nothing twice", async () => {
    const telegram = await fakeTelegram();
    const held = latch();
    const echo = await echoModel((line) => (line === "slow" ? held.opened : undefined));
    const options = {
      config: { ...echo.config, ...allowed },
      platforms: ["telegram"],
      env,
      urls: { telegram: telegram.url },
    };
    const first = await scene(options);
    telegram.push("quick");
    telegram.push("slow");
    telegram.push("waits");
    await telegram.until(1);
    await expect.poll(() => echo.lines).toEqual(["quick", "slow"]);
    await first.gateway.close(0);
    held.open();

    await scene({ ...options, place: first });
    await telegram.until(3);
    telegram.push("last");
    await telegram.until(4);
    expect(telegram.sent.map(({ text }) => text)).toEqual(["echo: quick", "echo: slow", "echo: waits", "echo: last"]);
    expect(echo.lines).toEqual(["quick", "slow", "slow", "waits", "last"]);
    expect(echo.violations).toEqual([]);
  });

  test("G16: while an answer takes long its progress is shown in one message, which becomes the answer", async () => {
    const telegram = await fakeTelegram();
    const held = latch();
    const echo = await echoModel(() => held.opened);
    await scene({
      config: { ...echo.config, ...allowed },
      platforms: ["telegram"],
      env,
      urls: { telegram: telegram.url },
    });
    telegram.push("one");
    await telegram.until(1);
    held.open();
    await telegram.until(2);
    expect(telegram.sent.map(({ method, text, message_id }) => [method, text, message_id])).toEqual([
      ["sendMessage", "thinking…", 1],
      ["editMessageText", "echo: one", 1],
    ]);
  });

  test("G19 G20: without its token it is idle with one line, and the others run", async () => {
    const echo = await echoModel();
    const { said, post, gateway } = await scene({ config: echo.config, platforms: ["telegram", "webhook", "twitch"] });
    expect(said.filter((line) => line.includes("idle"))).toEqual([
      "telegram: idle: SMITH_TELEGRAM_TOKEN must be set.",
      "twitch: idle: SMITH_TWITCH_TOKEN, SMITH_TWITCH_NICK, SMITH_TWITCH_CHANNELS must be set.",
    ]);
    expect(gateway.running()).toEqual(["webhook"]);
    expect((await post({ text: "hi" })).status).toBe(200);
  });

  test("G20: an adapter that can't start is told of, and the others run", async () => {
    const [telegram, echo] = [await fakeTelegram(), await echoModel()];
    const taken = await scene({ config: echo.config });
    const more = { ...env, SMITH_GATEWAY_PORT: new URL(taken.url).port };
    const options = { config: { ...echo.config, ...allowed }, urls: { telegram: telegram.url } };
    const { said, gateway } = await scene({ ...options, platforms: ["webhook", "telegram"], env: more });
    expect(said.find((line) => line.startsWith("webhook:"))).toContain("could not start: can't listen on 127.0.0.1");
    expect(gateway.running()).toEqual(["telegram"]);
    telegram.push("one");
    await telegram.until(1);
    expect(telegram.sent[0]?.text).toBe("echo: one");
    await expect(scene({ config: echo.config, env: more })).rejects.toThrow("None of webhook can start");
  });

  test("G16 fault 236: a sentence that Telegram does not take yet keeps no other chat waiting", async () => {
    const telegram = await fakeTelegram();
    const held = latch();
    const echo = await echoModel((line) => (line === "slow" ? held.opened : undefined));
    const caps = { ...CAPS, chat_waiting: 1 };
    const config = { ...echo.config, gateway: { allowed_users: { telegram: [7, 9] } } };
    await scene({ config, caps, platforms: ["telegram"], env, urls: { telegram: telegram.url } });
    telegram.push("slow");
    await expect.poll(() => echo.lines).toEqual(["slow"]);
    telegram.refuse("sendMessage", { code: 429, retry_after: 2 }, { code: 429, retry_after: 2 });
    telegram.push("one more than may wait");
    telegram.push({ photo: [{ file_id: "x" }] });
    telegram.push("one", { user: 9 });
    await telegram.until(1);
    held.open();
    await telegram.until(4);
    const [first, ...rest] = telegram.sent.map(({ text }) => text);
    expect(first).toBe("echo: one");
    expect(rest.toSorted()).toEqual([
      "Too many messages are waiting. Send it again when some of them are answered.",
      "echo: slow",
      "media not supported yet",
    ]);
  });
});

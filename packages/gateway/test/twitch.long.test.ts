import { getEventListeners } from "node:events";
import { sleep } from "@smith/contract/wait";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { createOutbox } from "../src/outbox.ts";
import { createTwitchSession } from "../src/twitch-session.ts";
import { echoModel } from "./echo-model.ts";
import { fakeTwitch } from "./fake-twitch.ts";
import { model, scene } from "./scene.ts";

const env = { SMITH_TWITCH_TOKEN: "tw", SMITH_TWITCH_NICK: "SmithBot", SMITH_TWITCH_CHANNELS: "#Room, other" };
const gateway = { allowed_users: { twitch: [7, "Bob"] } };

test("G18 G22: it logs in, joins, answers pings and who is named, and neither itself nor strangers", async () => {
  const twitch = await fakeTwitch();
  const echo = await echoModel();
  const { saying } = await scene({
    config: { ...echo.config, gateway },
    platforms: ["twitch"],
    env,
    urls: { twitch: twitch.url },
  });
  await twitch.until(() => twitch.lines.includes("JOIN #other"));
  expect(twitch.lines).toEqual([
    "open",
    "CAP REQ :twitch.tv/tags twitch.tv/commands",
    "PASS oauth:tw",
    "NICK smithbot",
    "JOIN #room",
    "JOIN #other",
  ]);
  twitch.raw("PING :tmi.twitch.tv");
  twitch.say("one");
  twitch.say("myself", { login: "smithbot", id: "7" });
  twitch.say("stranger says PRIVMSG #room :hi", { login: "eve", id: "8" });
  twitch.say("two", { login: "bob", id: "9", channel: "other" });
  await twitch.until(() => twitch.said("room").length + twitch.said("other").length === 2);
  await saying("ignored a message of user 8 in chat room");
  expect([twitch.said("room"), twitch.said("other")]).toEqual([["echo: one"], ["echo: two"]]);
  expect(twitch.lines).toContain("PONG :tmi.twitch.tv");
  expect(echo.lines.toSorted()).toEqual(["one", "two"]);
});

test("G18 G25: an answer is one line in pieces of 512 bytes with all around it, and no piece is a command", async () => {
  const twitch = await fakeTwitch();
  const text = `/ban ann\r\nQUIT :x\n\n${"wörd 😀 ".repeat(150)}`;
  const llm = await model([{ say: text }]);
  await scene({ config: { ...llm.config, gateway }, platforms: ["twitch"], env, urls: { twitch: twitch.url } });
  await twitch.until(() => twitch.lines.includes("JOIN #room"));
  twitch.say("long");
  await twitch.until(
    () => twitch.said("room").join("").replaceAll(/\s/g, "").length >= 2 + text.replaceAll(/\s/g, "").length - 1,
  );
  const said = twitch.said("room");
  expect(said.length).toBeGreaterThan(3);
  for (const piece of said) {
    expect(
      Buffer.byteLength(`:smithbot!smithbot@smithbot.tmi.twitch.tv PRIVMSG #room :${piece}\r\n`),
    ).toBeLessThanOrEqual(512);
    expect(piece.isWellFormed()).toBe(true);
  }
  expect(said[0]?.startsWith("· /ban ann QUIT :x wörd")).toBe(true);
  expect(twitch.lines.filter((line) => line.startsWith("QUIT"))).toEqual([]);
  const bare = (all: string) => all.replaceAll(/[\s·]/g, "");
  expect(bare(said.join(""))).toBe(bare(text));
});

test("G18 G26: a lost connection and a RECONNECT are followed by another one; a refused login ends it", async () => {
  const twitch = await fakeTwitch();
  const echo = await echoModel();
  const options = { config: { ...echo.config, gateway }, platforms: ["twitch"], urls: { twitch: twitch.url } };
  const { saying } = await scene({ ...options, env });
  const joins = () => twitch.lines.filter((line) => line === "JOIN #room").length;
  await twitch.until(() => joins() === 1);
  twitch.drop();
  await twitch.until(() => joins() === 2);
  expect(await saying("connected again")).toBe("twitch: connected again.");
  twitch.raw(":tmi.twitch.tv RECONNECT");
  await twitch.until(() => joins() === 3);
  twitch.say("one");
  await twitch.until(() => twitch.said("room").length === 1);

  const wrong = await scene({ ...options, env: { ...env, SMITH_TWITCH_TOKEN: "no" } });
  expect(await wrong.saying("stopped")).toContain("Look at SMITH_TWITCH_TOKEN");
  await wrong.gateway.ended;
});

test("fault 236: no more lines go out than Twitch takes, and none is lost while there is no connection", async () => {
  const [sent, end]: [string[], AbortController] = [[], new AbortController()];
  const outbox = createOutbox({ sleep }, end.signal, { lines: 2, window_ms: 300, patience_ms: 250 });
  await expect(outbox.put("lost")).rejects.toThrow("there was no connection");
  const startedAt = performance.now();
  const all = ["1", "2", "3", "4", "5"].map((line) => outbox.put(line));
  outbox.attach((line) => void sent.push(line));
  await Promise.all(all);
  expect(sent).toEqual(["1", "2", "3", "4", "5"]);
  expect(performance.now() - startedAt).toBeGreaterThan(590);
});

test("G26: a connection that is lost leaves nothing on the signal that outlives it", async () => {
  const twitch = await fakeTwitch();
  const stop = new AbortController();
  const outbox = createOutbox({ sleep }, stop.signal);
  const parts = { greeting: ["PASS oauth:tw", "NICK smithbot"], rooms: [], outbox, take: () => {} };
  const before = getEventListeners(stop.signal, "abort").length;
  const session = createTwitchSession(() => new WebSocket(twitch.url), parts);
  for (let n = 0; n < 3; n++) await expect(session(() => twitch.drop(), stop.signal)).rejects.toThrow("closed");
  expect(getEventListeners(stop.signal, "abort").length).toBe(before);
});

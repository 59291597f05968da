import { connect } from "node:net";
import { expect, test } from "vitest";
import { integrity, storedSessions } from "./database.ts";
import { gatewayPlace } from "./gateway-scene.ts";
import { model, place } from "./scene.ts";

/** What the model said, a session each. */
const echoes = (database: string): readonly (readonly string[])[] =>
  storedSessions(database).map(({ messages }) =>
    messages.flatMap(({ role, content }) => {
      const text = role === "assistant" && typeof content === "string" ? content : "";
      return text.startsWith("echo: ") ? [text] : [];
    }),
  );

/** A heap that a gateway at rest needs half of: what it kept of each message would soon not fit. */
const HEAP = ["--max-old-space-size=64"];
const linux = process.platform === "linux";

test("G2 fault 232: after kill -9 in a turn the conversation goes on, and the same message is answered once", async () => {
  const here = await gatewayPlace((line) => (line === "slow" && killed ? undefined : hang(line)));
  let killed = false;
  const first = await here.gateway();
  expect(await first.post({ text: "one", message_id: "m1" })).toEqual({ status: 200, reply: "echo: one" });
  const lost = first.post({ text: "slow", message_id: "m2" });
  await expect.poll(() => here.echo.lines.length).toBe(2);
  first.run.kill("SIGKILL");
  expect(await lost).toBeUndefined();
  killed = true;

  const second = await here.gateway();
  expect(await second.post({ text: "slow", message_id: "m2" })).toEqual({ status: 200, reply: "echo: slow" });
  expect(await second.post({ text: "slow", message_id: "m2" })).toEqual({ status: 200, reply: "echo: slow" });
  expect(await second.post({ text: "one", message_id: "m1" })).toEqual({ status: 200, reply: "echo: one" });
  expect(await second.post({ text: "next" })).toEqual({ status: 200, reply: "echo: next" });
  expect(here.echo.lines).toEqual(["one", "slow", "slow", "next"]);
  expect(here.echo.violations).toEqual([]);
  second.run.kill("SIGTERM");
  expect((await second.run.ended).code).toBe(0);
  expect(echoes(here.database)).toEqual([["echo: one", "echo: slow", "echo: next"]]);
});

const hang = (line: string) => (line === "slow" ? new Promise(() => {}) : undefined);

test("fault 231: a message waits while a shell has a turn in its conversation", async () => {
  let open = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const here = await gatewayPlace((line) => (line === "elsewhere" ? held : undefined));
  const { post, run } = await here.gateway();
  await post({ text: "one" });
  const shell = here.smith(["--resume", "latest", "-p", "elsewhere"]);
  await expect.poll(() => here.echo.lines, { timeout: 20_000 }).toEqual(["one", "elsewhere"]);
  const waits = post({ text: "two" });
  const status = await post({ text: "/status" });
  expect(status?.reply).toMatch(/^idle; 1 message waits/);
  open();
  expect(await waits).toEqual({ status: 200, reply: "echo: two" });
  expect((await shell.ended).stdout).toBe("echo: elsewhere\n");
  expect(here.echo.sizes).toEqual([1, 3, 5]);
  run.kill("SIGTERM");
  expect((await run.ended).code).toBe(0);
});

const KILLS = Number(process.env["SMITH_GATEWAY_KILLS"] ?? 8);

test(`fault 232: over ${KILLS} kills at any instant every message is answered, and none twice`, async () => {
  const here = await gatewayPlace();
  let current = await here.gateway();
  let [isOver, kills] = [false, 0];
  const killer = (async () => {
    for (; kills < KILLS && !isOver; kills++) {
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 700));
      current.run.kill("SIGKILL");
      await current.run.ended;
      current = await here.gateway();
    }
  })();
  const chats = ["a", "b", "c", "d"];
  const replies = await Promise.all(
    chats.map(async (chat_id) => {
      const all: string[] = [];
      for (let n = 0; n < 40; n++) {
        const message = { chat_id, text: `${chat_id}${n}`, message_id: `${n}` };
        let answer = await current.post(message);
        while (answer?.status !== 200) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          answer = await current.post(message);
        }
        all.push(answer.reply);
        if (n > 0 && kills < KILLS) await new Promise((resolve) => setTimeout(resolve, (1000 * KILLS) / 40));
      }
      return all;
    }),
  );
  isOver = true;
  await killer;
  current.run.kill("SIGTERM");
  await current.run.ended;
  const wanted = (chat: string) => Array.from({ length: 40 }, (_, n) => `echo: ${chat}${n}`);
  expect(replies).toEqual(chats.map(wanted));
  const stored = [...echoes(here.database)].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  expect(stored).toEqual(chats.map(wanted));
  expect([integrity(here.database), here.echo.violations]).toEqual(["ok", []]);
});

test("G3 fault 227: 200 messages at once in 20 chats keep their order; 10,000 more are answered or told to come again", async () => {
  const here = await gatewayPlace();
  const { post, memory, run } = await here.gateway(HEAP);
  const chats = Array.from({ length: 20 }, (_, n) => `c${n}`);
  const order = new Map(chats.map((chat) => [chat, [] as string[]]));
  const sent = Array.from({ length: 200 }, async (_, n) => {
    const chat_id = chats[n % 20] ?? "";
    const answer = await post({ chat_id, text: `${n}` });
    order.get(chat_id)?.push(answer?.reply ?? "");
  });
  await Promise.all(sent);
  const bySeq = (chat: number) => Array.from({ length: 10 }, (_, n) => `echo: ${chat + 20 * n}`);
  expect(chats.map((chat) => order.get(chat)?.toSorted())).toEqual(chats.map((_, n) => bySeq(n).toSorted()));
  const said = storedSessions(here.database).map(({ messages }) => messages.length);
  expect(said).toEqual(chats.map(() => 20));

  const before = memory();
  const statuses = new Map<number | undefined, number>();
  let left = 10_000;
  const lane = async () => {
    while (left-- > 0) {
      const answer = await post({ chat_id: "flood", text: `${left}` });
      statuses.set(answer?.status, (statuses.get(answer?.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 200 }, lane));
  console.log(
    `10,000 requests: ${JSON.stringify([...statuses])}; memory ${before.toFixed(0)} → ${memory().toFixed(0)} MB`,
  );
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  if (linux) expect(memory()).toBeLessThan(before + 100);
  run.kill("SIGTERM");
  expect((await run.ended).code).toBe(0);
});

test("fault 229: who sends slowly is cut off, and others are answered meanwhile", async () => {
  const here = await gatewayPlace();
  const { post, run } = await here.gateway();
  const port = Number(new URL(here.url).port);
  const begun = performance.now();
  const slow = Array.from({ length: 200 }, (_, n) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    const head = "POST /message HTTP/1.1\r\nHost: localhost\r\n";
    socket.write(n % 2 === 0 ? head : `${head}Content-Length: 100\r\n\r\n{`);
    const drip = setInterval(() => socket.write(n % 2 === 0 ? "X: y\r\n" : " "), 1000);
    socket.on("data", () => {}); // a 408 may come first
    // Not `once`, which a write into a connection that was just cut would reject.
    return new Promise<void>((resolve) => void socket.on("close", () => resolve())).then(() => clearInterval(drip));
  });
  expect(await post({ text: "hi" })).toEqual({ status: 200, reply: "echo: hi" });
  await Promise.all(slow);
  expect(performance.now() - begun).toBeLessThan(45_000);
  run.kill("SIGTERM");
  expect((await run.ended).code).toBe(0);
});

test("G1 G12 G13 G19: what can't run is one line that says the mend, exit code 2", async () => {
  const llm = await model([]);
  const here = place({ config: { ...llm.config, gateway: { bind: "0.0.0.0" } } });
  const end = async (args: readonly string[], env = {}) => {
    const { code, stderr } = await here.run(["gateway", ...args], { env });
    return [code, stderr.trim().split("\n").at(-1)];
  };
  expect(await end([])).toEqual([
    2,
    "smith: The webhook would listen on 0.0.0.0, where others can reach it, and SMITH_GATEWAY_TOKEN is not set. Set a token, or bind 127.0.0.1.",
  ]);
  expect(await end(["irc"])).toEqual([
    2,
    'smith: There is no platform "irc". There are: webhook, telegram, discord, twitch.',
  ]);
  const bare = await place().run(["gateway"]);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("no model is set")]);
});

const SOAK_S = Number(process.env["SMITH_SOAK_S"] ?? 60);

test(`G2 G4 fault 227: ${SOAK_S} s at 20 messages a second: no reply lost or doubled, and memory does not grow`, {
  timeout: SOAK_S * 1000 + 120_000,
}, async () => {
  const here = await gatewayPlace();
  const { post, memory, run } = await here.gateway(HEAP);
  const total = SOAK_S * 20;
  const waits: number[] = [];
  const wrong: string[] = [];
  const sizes: number[] = [];
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < total; n++) {
    const due = begun + n * 50 - performance.now();
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    const at = performance.now();
    const message = { chat_id: `c${n % 25}`, text: `line ${n}`, message_id: `${n}` };
    sent.push(
      post(message).then((answer) => {
        waits.push(performance.now() - at);
        if (answer?.reply !== `echo: line ${n}`) wrong.push(`${n}: ${answer?.status} ${answer?.reply}`);
      }),
    );
    if (linux && n % (total / 10) === total / 10 - 1) sizes.push(Math.round(memory()));
  }
  await Promise.all(sent);
  waits.sort((a, b) => a - b);
  const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? 0);
  console.log(
    `${total} messages: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms; memory by tenths, MB: ${sizes.join(" ")}`,
  );
  expect(wrong).toEqual([]);
  expect(here.echo.lines.length).toBe(total);
  expect(new Set(here.echo.lines).size).toBe(total);
  expect(here.echo.violations).toEqual([]);
  const [, , third = 0] = sizes;
  expect(Math.max(...sizes.slice(3), 0)).toBeLessThanOrEqual(third * 1.3 + 20);
  run.kill("SIGTERM");
  expect((await run.ended).code).toBe(0);
  const stored = echoes(here.database).flat();
  expect(stored.length).toBe(total);
  expect(integrity(here.database)).toBe("ok");
});

import type { AssistantMessage, Message, ToolMessage, UserMessage } from "@smith/contract/message";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createWindow, type Edges, NO_EDGES, type WindowSettings } from "../src/turn/window.ts";

const SETTINGS: WindowSettings = {
  enabled: true,
  keep_rounds: 7,
  elide_over_chars: 1024,
  elide_step: 2,
  threshold_pct: 80,
  drop_to_pct: 60,
  context_window: 128_000,
  overhead: 0,
};
const place = { turn_id: "t1", round: 1, ts: 0 };
const key = (index: number) => `recall(key="message/c/${index}")`;
const windowOf = (settings: Partial<WindowSettings> = {}) => createWindow({ ...SETTINGS, ...settings }, key);

const user = (content: string): UserMessage => Object.freeze({ role: "user", content, ...place });
const round = (id: string, outputs: readonly (string | null)[]): readonly Message[] => {
  const calls = outputs.map((_, at) => ({ id: `${id}-${at}`, name: "bash", arguments: '{"command":"x"}' }));
  const assistant: AssistantMessage = Object.freeze({ role: "assistant", content: "", tool_calls: calls, ...place });
  const results = outputs.map(
    (output, at): ToolMessage =>
      Object.freeze({
        role: "tool",
        content: output ?? "boom ".repeat(400),
        tool_call_id: `${id}-${at}`,
        name: "bash",
        ok: output !== null,
        ...place,
      }),
  );
  return [assistant, ...results];
};
const system: Message = Object.freeze({ role: "system", content: "Be brief." });
const rounds = (n: number, size: number): readonly Message[] =>
  Array.from({ length: n }, (_, at) => round(`r${at}`, [`${at} `.padEnd(size, "abcdefg ")])).flat();

test("W2 W3 W5 of eight rounds the oldest output above 1024 characters is elided, exactly counted, its place kept", () => {
  const of = (size: number) => [system, user("go"), ...rounds(8, size)];
  const { messages } = windowOf({ elide_step: 0 }).fit(of(1025), NO_EDGES, false);
  expect(messages[3]).toEqual({
    ...of(1025)[3],
    content: '[elided 1025 chars of tool output; retrieve with recall(key="message/c/3")]',
  });
  expect(messages.filter((_, at) => at !== 3)).toEqual(of(1025).filter((_, at) => at !== 3));
  expect(windowOf({ elide_step: 0 }).fit(of(1024), NO_EDGES, false).messages).toEqual(of(1024));
});

test("W9 switched off the window is the identity, the same array", () => {
  const transcript = [system, user("go"), ...rounds(300, 9000)];
  expect(windowOf({ enabled: false }).fit(transcript, NO_EDGES, false).messages).toBe(transcript);
});

test("W7 over the threshold whole rounds are dropped down to the target, one message says what is missing", () => {
  const transcript = [system, user("first"), ...rounds(40, 1000), user("last"), ...rounds(2, 1000)];
  const { messages, estimate, moved } = windowOf({ context_window: 8000 }).fit(transcript, NO_EDGES, false);
  expect([estimate <= 4800, estimate > 4000, (moved?.dropped ?? 0) > 0]).toEqual([true, true, true]);
  expect(messages.slice(0, 2)).toEqual([system, user("first")]);
  expect(messages[2]?.content).toMatch(
    /^\[\d+ earlier messages are left out here to fit the window\. They come back one by one: recall\(key="message\/c\/2"\) … recall\(key="message\/c\/\d+"\)\.\]$/,
  );
  expect(messages.some((message) => message.content === "last")).toBe(true);
});

const anyRound = fc.array(fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 6 }), { minLength: 1, maxLength: 3 });
const anyPart = fc.oneof(
  { weight: 5, arbitrary: anyRound.map((sizes) => ({ sizes })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }).map((line) => ({ line })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }).map((say) => ({ say })) },
);

/** A conversation as it grows: the transcript at each request. */
const anyGrowth = fc.array(anyPart, { minLength: 1, maxLength: 40 }).map((parts) => {
  const transcript: Message[] = [system, user("the first line")];
  const requests = [[...transcript]];
  parts.forEach((part, at) => {
    if ("sizes" in part)
      transcript.push(
        ...round(
          `r${at}`,
          part.sizes.map((size) => (size === null ? null : "x".repeat(size))),
        ),
      );
    else if ("line" in part) transcript.push(user("u".repeat(part.line)));
    else transcript.push(Object.freeze({ role: "assistant", content: "a".repeat(part.say), ...place }));
    requests.push([...transcript]);
  });
  return requests;
});
const anySettings = fc.record({
  keep_rounds: fc.nat(4),
  elide_over_chars: fc.constantFrom(0, 200, 1024),
  elide_step: fc.constantFrom(0, 1, 2),
  context_window: fc.constantFrom(300, 1500, 6000, 128_000),
});

test("W8 B44 whatever the conversation and the window, the laws hold for each request", () => {
  fc.assert(
    fc.property(anyGrowth, anySettings, (requests, settings) => {
      const window = windowOf(settings);
      let edges: Edges = NO_EDGES;
      for (const transcript of requests) {
        const fitted = window.fit(Object.freeze(transcript), edges, false);
        const { messages } = fitted;
        const lastUser = transcript.findLast((message) => message.role === "user");
        expect(messages[0]).toBe(system);
        expect(messages[1]).toBe(transcript[1]);
        expect(messages).toContain(lastUser);
        expect(unpaired(messages)).toEqual([]);
        expect(inOrder(messages, transcript)).toBe(true);
        const again = window.fit(transcript, fitted.edges, false);
        expect([again.messages.map(bytes), again.moved]).toEqual([messages.map(bytes), null]);
        // At or under the limit, or only what is pinned is left.
        const limit = ((settings.context_window ?? 0) * 80) / 100;
        const pinned = messages.filter((message) => message.role === "system" || message.role === "user");
        expect(fitted.estimate <= limit || pinned.length === messages.length).toBe(true);
        edges = fitted.edges;
      }
    }),
    { numRuns: 400 },
  );
});

test("a request differs from the one before by appended messages only, unless an edge moved", () => {
  fc.assert(
    fc.property(anyGrowth, anySettings, (requests, settings) => {
      const window = windowOf(settings);
      let edges: Edges = NO_EDGES;
      let before: readonly string[] = [];
      for (const transcript of requests) {
        const { messages, edges: after, moved } = window.fit(transcript, edges, false);
        const now = messages.map(bytes);
        if (moved === null) expect(now.slice(0, before.length)).toEqual(before);
        edges = after;
        before = now;
      }
    }),
    { numRuns: 400 },
  );
});

const bytes = (message: Message): string => JSON.stringify(message);

function unpaired(messages: readonly Message[]): readonly string[] {
  const open = new Set<string>();
  const broken: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) broken.push(message.tool_call_id);
    } else {
      broken.push(...open);
      open.clear();
      if (message.role === "assistant") for (const call of message.tool_calls ?? []) open.add(call.id);
    }
  }
  return [...broken, ...open];
}

function inOrder(messages: readonly Message[], transcript: readonly Message[]): boolean {
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  const all = transcript.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  return ids.every((id, at) => at === 0 || all.indexOf(id) > all.indexOf(ids[at - 1] ?? ""));
}

/** What a provider with a prefix cache would bill for a run of rounds: bytes outside the kept prefix, a tenth of those inside. */
function billOf(policy: Partial<WindowSettings>, size: (round: number) => number, n: number) {
  const window = windowOf(policy);
  const transcript: Message[] = [system, user("go")];
  let edges: Edges = NO_EDGES;
  let before: readonly string[] = [];
  const sum = { bill: 0, outside: 0, breaks: 0, largest: 0 };
  for (let at = 0; at < n; at++) {
    transcript.push(...round(`r${at}`, [`${at} `.padEnd(size(at), "abcdefg ")]));
    const fitted = window.fit(transcript, edges, false);
    edges = fitted.edges;
    const now = fitted.messages.map(bytes);
    const same = now.findIndex((line, index) => line !== before[index]);
    const kept = now.slice(0, same < 0 ? now.length : same).join("").length;
    const total = now.join("").length;
    sum.outside += total - kept;
    sum.bill += total - kept + kept / 10;
    sum.breaks += same >= 0 && same < before.length ? 1 : 0;
    sum.largest = Math.max(sum.largest, fitted.estimate);
    before = now;
  }
  return sum;
}

test("200 rounds of 4 KB cost at most half of the naive policy and 0.36 of never eliding, in at most 13 breaks", () => {
  const size = () => 4096;
  const ours = billOf({}, size, 200);
  const naive = billOf({ elide_step: 0 }, size, 200);
  const never = billOf({ enabled: false }, size, 200);
  console.log(
    `bill: ours ${ours.bill | 0}, naive ${naive.bill | 0}, never ${never.bill | 0}; breaks ${ours.breaks}; largest ${ours.largest}`,
  );
  expect([
    ours.breaks <= 13,
    ours.bill <= 0.5 * naive.bill,
    ours.bill <= 0.36 * never.bill,
    ours.largest <= 45_000,
    ours.outside <= 0.25 * naive.outside,
  ]).toEqual([true, true, true, true, true]);
  for (const context_window of [32_000, 200_000, 1_000_000]) {
    expect(billOf({ context_window }, size, 200).bill).toBeLessThanOrEqual(
      0.5 * billOf({ context_window, elide_step: 0 }, size, 200).bill,
    );
  }
});

test("1,000 rounds at 128,000 reach dropping and stay cheap and under the threshold; mixed outputs too", () => {
  const ours = billOf({}, () => 4096, 1000);
  const naive = billOf({ elide_step: 0 }, () => 4096, 1000);
  expect([ours.bill <= 0.65 * naive.bill, ours.largest <= 0.8 * 128_000]).toEqual([true, true]);
  const mixed = (at: number) => 300 + ((at * 7919) % 7100);
  expect(billOf({}, mixed, 200).bill).toBeLessThanOrEqual(0.7 * billOf({ elide_step: 0 }, mixed, 200).bill);
});

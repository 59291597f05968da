import type { Message } from "@smith/contract/message";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Edges, NO_EDGES } from "../src/turn/edges.ts";
import { createSizes } from "../src/turn/size.ts";
import type { WindowSettings } from "../src/turn/window.ts";
import {
  anyGrowth,
  anySettings,
  bytes,
  inOrder,
  round,
  rounds,
  system,
  unpaired,
  user,
  windowOf,
} from "./window-scene.ts";

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

test("W9 N5 switched off the window is the identity, the same array", () => {
  const transcript = [system, user("go"), ...rounds(300, 9000)];
  expect(windowOf({ enabled: false }).fit(transcript, NO_EDGES, false).messages).toBe(transcript);
});

test("W7 over the threshold whole rounds are dropped down to the target, one message says what is missing", () => {
  const transcript = [system, user("first"), ...rounds(40, 1000), user("last"), ...rounds(2, 1000)];
  const { messages, estimate, moved } = windowOf({ context_window: 8000 }).fit(transcript, NO_EDGES, false);
  expect([estimate <= 4800, estimate > 4000, (moved?.dropped ?? 0) > 0]).toEqual([true, true, true]);
  expect(messages.slice(0, 2)).toEqual([system, user("first")]);
  expect(messages[2]?.content).toMatch(
    /^\[\d+ earlier messages are left out here to fit the window\. They come back round by round: recall\(key="round\/t1\/1"\)\.\]$/,
  );
  expect(messages.some((message) => message.content === "last")).toBe(true);
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
        expect(fitted.estimate).toBe(messages.reduce((sum, message) => sum + sizeOf(message).tokens, 0));
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

test("where an edge moves the prefix holds up to the first newly elided message, and it moves at most once a step", () => {
  fc.assert(
    fc.property(anyGrowth, fc.constantFrom(1, 2), fc.nat(3), (requests, elide_step, keep_rounds) => {
      const window = windowOf({ elide_step, keep_rounds, elide_over_chars: 200 });
      let edges: Edges = NO_EDGES;
      let before: readonly string[] = [];
      let moves = 0;
      let elided = 0;
      let smallest = Number.POSITIVE_INFINITY;
      for (const transcript of requests) {
        const { messages, edges: after, moved } = window.fit(transcript, edges, false);
        const now = messages.map(bytes);
        if (moved !== null) {
          const first = transcript.findIndex((message, at) => at >= edges.elided && now[at] !== bytes(message));
          expect(now.slice(0, Math.min(first, before.length))).toEqual(before.slice(0, first));
          const tail = transcript.slice(after.elided).reduce((sum, message) => sum + sizeOf(message).chars, 0);
          moves += 1;
          smallest = Math.min(smallest, tail * elide_step);
          elided += transcript.slice(edges.elided, after.elided).reduce((sum, each) => sum + sizeOf(each).chars, 0);
        }
        edges = after;
        before = now;
      }
      expect(moves).toBeLessThanOrEqual(1 + elided / Math.max(1, smallest));
    }),
    { numRuns: 300 },
  );
});

test("a pass over 50,000 messages looks at what is new, once the first pass has been", () => {
  const transcript: Message[] = [system, user("go"), ...rounds(25_000, 200)];
  let looks = 0;
  const watched = new Proxy(transcript, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key, receiver);
    },
  });
  const window = windowOf({ context_window: 10_000_000 });
  let { edges } = window.fit(watched, NO_EDGES, false);
  const first = looks;
  const passes: number[] = [];
  for (let at = 0; at < 50; at++) {
    transcript.push(...round(`new${at}`, ["y".repeat(200)]));
    looks = 0;
    edges = window.fit(watched, edges, false).edges;
    passes.push(looks);
  }
  expect(first).toBeGreaterThan(50_000);
  expect(Math.max(...passes)).toBeLessThanOrEqual(2 * 2 + 4); // two new messages, looked at twice, and the ends
});

test("B44 the calibration decides thresholds only: below them no edge moves by it", () => {
  fc.assert(
    fc.property(anyGrowth, anySettings, fc.constantFrom(0.5, 1.3, 2), (requests, settings, ratio) => {
      const window = windowOf({ ...settings, context_window: 1_000_000 });
      let [plain, calibrated]: readonly Edges[] = [NO_EDGES, NO_EDGES];
      for (const transcript of requests) {
        const without = window.fit(transcript, plain ?? NO_EDGES, false);
        const withRatio = window.fit(transcript, { ...(calibrated ?? NO_EDGES), ratio }, false);
        expect(withRatio.messages.map(bytes)).toEqual(without.messages.map(bytes));
        [plain, calibrated] = [without.edges, withRatio.edges];
      }
    }),
    { numRuns: 200 },
  );
});

const sizeOf = createSizes();

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

test("outputs of mixed sizes are billed well under naive elision, too", () => {
  const mixed = (at: number) => 300 + ((at * 7919) % 7100);
  expect(billOf({}, mixed, 200).bill).toBeLessThanOrEqual(0.7 * billOf({ elide_step: 0 }, mixed, 200).bill);
});

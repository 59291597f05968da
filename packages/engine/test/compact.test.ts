import { AgentError, cancelledError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { Message } from "@smith/contract/message";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Stretch, transcriptText } from "../src/turn/compact.ts";
import { NO_EDGES } from "../src/turn/edges.ts";
import { createFraming } from "../src/turn/framing.ts";
import type { WindowSettings } from "../src/turn/window.ts";
import {
  anyGrowth,
  anySettings,
  bytes,
  inOrder,
  keys,
  round,
  rounds,
  SETTINGS,
  system,
  unpaired,
  user,
} from "./window-scene.ts";

const COMPACT = { enabled: true, keep_messages: 8, transcript_chars: 24_000 };

/** A framing whose summaries come from `answer`; what it was asked and what it told is kept. */
function scene(
  answer: (stretch: Stretch) => string,
  settings: Partial<WindowSettings> = {},
  compact: Partial<typeof COMPACT> = {},
) {
  const events: EventBody[] = [];
  const asked: Stretch[] = [];
  const framing = createFraming(
    {
      ...{ settings: { ...SETTINGS, context_window: 8000, ...settings }, compact: { ...COMPACT, ...compact } },
      ...{ edges: NO_EDGES, cold: false, keys },
    },
    {
      emit: (body) => void events.push(body),
      summarise: async (stretch) => {
        asked.push(stretch);
        return answer(stretch);
      },
    },
  );
  return { framing, events, asked };
}

const refuse = (): never => {
  throw new AgentError({ kind: "transport", code: "http_500", origin: "test", message: "HTTP 500" });
};
const long = [system, user("first"), ...rounds(40, 1000), user("last"), ...rounds(2, 1000)];

test("W12 W13 W14 W17 Q13 before rounds would be dropped all but the newest eight messages become one marked message", async () => {
  const { framing, events, asked } = scene(() => "They looked at 38 files.");
  const { messages, edge } = await framing.frame(long);
  expect(messages).toEqual([
    system,
    long[1],
    {
      ...{ role: "user", turn_id: "t0", round: 0, ts: 0 },
      content: [
        "[Summary of 76 earlier messages, by the model; the user's own lines follow as they were.]",
        "They looked at 38 files.",
        '[End of the summary. They come back round by round: recall(key="round/t1/1").]',
      ].join("\n"),
    },
    ...long.slice(78),
  ]);
  expect([edge, framing.edges().summary]).toEqual([3, { text: "They looked at 38 files.", upto: 78 }]);
  expect(asked).toEqual([{ messages: long.slice(1, 78), before: null, focus: null }]);
  expect(events).toEqual([
    { type: "compact_started", estimated_tokens: expect.any(Number) },
    { type: "compact_completed", summary_chars: 24 },
  ]);
});

test("W12 W14 the next summary is given the last one, and only what came after it", async () => {
  const { framing, asked } = scene((stretch) => (stretch.before === null ? "one" : "two"));
  await framing.frame(long);
  const longer = [...long, ...rounds(40, 1000)];
  const { messages } = await framing.frame(longer);
  expect(asked[1]?.before).toBe("one");
  expect(asked[1]?.messages[0]).toBe(longer[78]);
  expect(messages[2]?.content).toMatch(/^\[Summary of \d+ earlier messages.*\ntwo\n/);
  expect(messages.filter((message) => message.content === "last")).toHaveLength(1);
});

test("W13 with eight messages or fewer nothing is summarised", async () => {
  const { framing, asked } = scene(() => "never", { context_window: 1000 });
  await framing.frame([system, user("go"), ...rounds(3, 4000)]);
  expect(asked).toEqual([]);
});

test("W14 the summariser is given 24,000 characters at most, a long message cut in its middle before others are", () => {
  const text = transcriptText([...rounds(3, 9000), ...rounds(200, 400)], 24_000);
  expect(text.length).toBeLessThanOrEqual(24_050);
  expect(text).toMatch(/^\[call bash\] .*\n\[result of bash\] 0 abcdefg /);
  expect(text.match(/characters left out/g)?.length).toBeGreaterThan(1);
  expect(transcriptText([user("😀".repeat(5000))], 24_000).isWellFormed()).toBe(true);
});

test("W15 W17 W18 a summary that fails is told, changes nothing, and is not tried again for three rounds", async () => {
  const { framing, events, asked } = scene(refuse);
  const plain = scene(refuse, {}, { enabled: false });
  const failed = await framing.frame(long);
  expect(failed).toEqual(await plain.framing.frame(long));
  expect(events.slice(0, 3)).toEqual([
    { type: "compact_started", estimated_tokens: expect.any(Number) },
    { type: "compact_completed", summary_chars: 0 },
    {
      type: "notice",
      level: "warn",
      text: "The older part of the session could not be summarised (HTTP 500); its oldest rounds are left out instead, and come back by their keys.",
    },
  ]);
  let transcript: readonly Message[] = long;
  const tries: number[] = [];
  for (let at = 0; at < 5; at++) {
    transcript = [...transcript, ...rounds(30, 1000)]; // each of them would drop again
    await framing.frame(transcript);
    tries.push(asked.length);
  }
  expect(tries).toEqual([1, 1, 1, 2, 2]);
});

test("W18 a summary that is no shorter than what it stands for is not used", async () => {
  const { framing, events } = scene(() => "word ".repeat(20_000));
  const { messages } = await framing.frame(long);
  expect(messages[2]?.content).toMatch(/^\[\d+ earlier messages are left out here/);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "notice", text: expect.stringContaining("is no shorter than what it stands for") }),
  );
});

test("W15 a cancel while it is summarised ends the turn, it is no failed summary", async () => {
  const { framing, events } = scene(() => {
    throw cancelledError("ctrl-c");
  });
  await expect(framing.frame(long)).rejects.toThrow("ctrl-c");
  expect(events.map(({ type }) => type)).toEqual(["compact_started", "compact_completed"]);
});

test("/compact summarises what would still fit, dwells on the focus, and says when there is too little", async () => {
  const { framing, asked } = scene(() => "short", { context_window: 128_000 });
  const small = [system, user("go"), ...rounds(10, 2000)];
  const done = await framing.compact(small, "the parser");
  expect(done).toEqual({ before: expect.any(Number), after: expect.any(Number), summary_chars: 5 });
  expect(done.after).toBeLessThan(done.before);
  expect(asked[0]?.focus).toBe("the parser");
  const { messages } = await framing.frame(small);
  expect(messages).toHaveLength(3 + 8);
  await expect(framing.compact(small, null)).rejects.toMatchObject({ code: "nothing_to_compact" });
});

test("W8 W16 whatever the conversation, the window and the summaries, the laws hold for each request", async () => {
  const anyAnswer = fc.constantFrom("short", "long", "fails");
  await fc.assert(
    fc.asyncProperty(
      anyGrowth,
      anySettings,
      anyAnswer,
      fc.integer({ min: 2, max: 9 }),
      async (requests, settings, kind, keep_messages) => {
        const answer = () => (kind === "fails" ? refuse() : kind === "long" ? "x".repeat(3000) : "in short");
        const { framing } = scene(answer, settings, { keep_messages });
        for (const transcript of requests) {
          const { messages } = await framing.frame(Object.freeze(transcript));
          expect(messages.slice(0, 2)).toEqual([system, transcript[1]]);
          expect(messages).toContain(transcript.findLast((message) => message.role === "user"));
          expect(unpaired(messages)).toEqual([]);
          expect(inOrder(messages, transcript)).toBe(true);
          const upto = framing.edges().summary?.upto ?? 0;
          const lines = transcript.slice(framing.edges().users, upto).filter((message) => message.role === "user");
          for (const line of lines) expect(messages).toContain(line); // what the user said is never only summarised
          const again = await framing.frame(transcript);
          expect(again.messages.map(bytes)).toEqual(messages.map(bytes));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("W16 the cut is behind a whole round, also where the newest is one of many calls", async () => {
  const { framing } = scene(() => "short", { context_window: 128_000 });
  const many = [
    system,
    user("go"),
    ...rounds(5, 2000),
    ...round(
      "wide",
      Array.from({ length: 12 }, () => "y".repeat(500)),
    ),
  ];
  await framing.compact(many, null);
  expect(framing.edges().summary?.upto).toBe(many.length - 13);
});

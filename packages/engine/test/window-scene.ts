import type { AssistantMessage, Message, ToolMessage, UserMessage } from "@smith/contract/message";
import fc from "fast-check";
import type { Keys } from "../src/turn/left-out.ts";
import { createWindow, type WindowSettings } from "../src/turn/window.ts";

export const SETTINGS: WindowSettings = {
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
export const keys: Keys = {
  output: (index) => `recall(key="message/c/${index}")`,
  round: (message) => (message.role === "system" ? null : `recall(key="round/${message.turn_id}/${message.round}")`),
};
export const windowOf = (settings: Partial<WindowSettings> = {}) => createWindow({ ...SETTINGS, ...settings }, keys);

export const user = (content: string): UserMessage => Object.freeze({ role: "user", content, ...place });
export const round = (id: string, outputs: readonly (string | null)[]): readonly Message[] => {
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
export const system: Message = Object.freeze({ role: "system", content: "Be brief." });
export const rounds = (n: number, size: number): readonly Message[] =>
  Array.from({ length: n }, (_, at) => round(`r${at}`, [`${at} `.padEnd(size, "abcdefg ")])).flat();

const anyRound = fc.array(fc.option(fc.integer({ min: 1, max: 3000 }), { freq: 6 }), { minLength: 1, maxLength: 3 });
const anyPart = fc.oneof(
  { weight: 5, arbitrary: anyRound.map((sizes) => ({ sizes })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }).map((line) => ({ line })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 800 }).map((say) => ({ say })) },
);

/** A conversation as it grows: the transcript at each request. */
export const anyGrowth = fc.array(anyPart, { minLength: 1, maxLength: 40 }).map((parts) => {
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
export const anySettings = fc.record({
  keep_rounds: fc.nat(4),
  elide_over_chars: fc.constantFrom(0, 200, 1024),
  elide_step: fc.constantFrom(0, 1, 2),
  context_window: fc.constantFrom(300, 1500, 6000, 128_000),
});

export const bytes = (message: Message): string => JSON.stringify(message);

export function unpaired(messages: readonly Message[]): readonly string[] {
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

export function inOrder(messages: readonly Message[], transcript: readonly Message[]): boolean {
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  const all = transcript.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  return ids.every((id, at) => at === 0 || all.indexOf(id) > all.indexOf(ids[at - 1] ?? ""));
}

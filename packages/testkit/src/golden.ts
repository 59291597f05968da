import type { AgentEvent } from "@smith/contract/event";
import { type TranscriptMessage, textOf } from "@smith/contract/message";

/**
 * A run as a text to read and to keep: one line per event, then one per message. What differs from run to run is left
 * out (times, durations), put in order (which of the calls side by side ends first) or has a name: call ids `c1`…,
 * conversations `conversation1`…, hashes `<hash>`, counted bytes and tokens `<n>`. `names` replaces further texts, as
 * `{ [temporaryFolder]: "<dir>" }`.
 */
export function goldenLines(
  events: readonly AgentEvent[],
  messages: readonly TranscriptMessage[],
  names: Readonly<Record<string, string>> = {},
): string {
  const ids = nameIds(events, messages);
  const lines = [
    ...orderEnds(mergeDeltas(events), [...ids.keys()]).map((event) => eventLine(event, ids)),
    "---",
    ...messages.map((message) => messageLine(message, ids)),
  ];
  const rename = createRenamer(new Map([...[...ids].filter(([id]) => id.length > 4), ...Object.entries(names)]));
  return `${lines.map(rename).join("\n")}\n`;
}

type Ids = ReadonlyMap<string, string>;

const DROPPED = new Set(["type", "ts", "turn_id", "duration_ms"]);
const COUNTED = /(_tokens|_bytes)$/;

/** Where one piece of a text ends is chance: neighbours become one. */
function mergeDeltas(events: readonly AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const isText = event.type === "llm_text_delta" || event.type === "llm_reasoning_delta";
    if (isText && last?.type === event.type) merged[merged.length - 1] = { ...last, text: last.text + event.text };
    else merged.push(event);
  }
  return merged;
}

/** Neighbouring ends of calls stand in the order of the calls. */
function orderEnds(events: readonly AgentEvent[], ids: readonly string[]): readonly AgentEvent[] {
  const ordered = [...events];
  const rank = (event: AgentEvent | undefined): number =>
    event?.type === "tool_execution_finished" ? ids.indexOf(event.call_id) : -1;
  for (let end = 1; end < ordered.length; end++) {
    for (let at = end; at > 0 && rank(ordered[at]) >= 0 && rank(ordered[at - 1]) > rank(ordered[at]); at--) {
      ordered.splice(at - 1, 2, ...ordered.slice(at - 1, at + 1).reverse());
    }
  }
  return ordered;
}

function eventLine(event: AgentEvent, ids: Ids): string {
  const fields = Object.entries(event)
    .filter(([key]) => !DROPPED.has(key))
    .map(([key, value]): [string, unknown] => [key, key.endsWith("_id") ? (ids.get(value) ?? value) : value]);
  return [event.turn_id, event.type, ...fields.map(([key, value]) => `${key}=${valueText(key, value)}`)].join(" ");
}

const valueText = (key: string, value: unknown): string => {
  if (typeof value === "number" && COUNTED.test(key)) return "<n>";
  if (typeof value === "string" && /^[\w.:/-]+$/.test(value)) return value;
  return JSON.stringify(value, (inner, each: unknown) => {
    if (typeof each === "number" && COUNTED.test(inner)) return "<n>";
    return inner === "duration_ms" ? undefined : each;
  });
};

function messageLine(message: TranscriptMessage, ids: Ids): string {
  const place = `${message.turn_id}.${message.round} ${message.role}`;
  switch (message.role) {
    case "user":
      return `${place} ${JSON.stringify(textOf(message.content))}${imagesOf(message.content)}`;
    case "assistant": {
      const calls = (message.tool_calls ?? []).map((call) => `${call.name}#${ids.get(call.id)}(${call.arguments})`);
      const reasoning = message.reasoning === undefined ? [] : [`reasoning=${JSON.stringify(message.reasoning)}`];
      const broken = message.is_error === true ? ["broken off"] : [];
      return [place, JSON.stringify(message.content), ...calls, ...reasoning, ...broken].join(" ");
    }
    case "tool": {
      const how = message.ok ? "ok" : "failed";
      return `${place} ${message.name}#${ids.get(message.tool_call_id)} ${how} ${JSON.stringify(message.content)}`;
    }
    default:
      return message satisfies never;
  }
}

const imagesOf = (content: Parameters<typeof textOf>[0]): string => {
  const images = typeof content === "string" ? 0 : content.filter((part) => part.type === "image").length;
  return images === 0 ? "" : ` images=${images}`;
};

/** Names for the ids, in order of appearance. */
function nameIds(events: readonly AgentEvent[], messages: readonly TranscriptMessage[]): Ids {
  const ids = new Map<string, string>();
  const counts = { c: 0, conversation: 0 };
  const learn = (id: string, kind: keyof typeof counts) => {
    if (!ids.has(id)) ids.set(id, `${kind}${++counts[kind]}`);
  };
  for (const event of events) {
    if ("conversation_id" in event) learn(event.conversation_id, "conversation");
    if ("call_id" in event) learn(event.call_id, "c");
  }
  for (const message of messages) {
    if (message.role === "assistant") for (const call of message.tool_calls ?? []) learn(call.id, "c");
    if (message.role === "tool") learn(message.tool_call_id, "c");
  }
  return ids;
}

/** Replaces in running text. Short ids stay: `a` or `c1` there may as well be a word. */
function createRenamer(known: Ids): (line: string) => string {
  // One pass, longest first: no name is replaced inside another, nor one that a replacement has just written.
  const texts = [...known.keys()].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  const pattern = new RegExp([...texts.map(asWord), HASH].join("|"), "g");
  return (line) => line.replace(pattern, (text) => known.get(text) ?? "<hash>");
}

const HASH = "\\b(?:[0-9a-f]{64}|[0-9a-f]{16})\\b";

/** The text as a pattern that doesn't match inside a longer word. */
const asWord = (text: string): string => `(?<!\\w)${text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?!\\w)`;

import { type AssistantMessage, type ToolMessage, type TranscriptMessage, textOf } from "@smith/contract/message";
import type { PagerSection } from "./pages.ts";
import type { PagerDocument } from "./state.ts";

export interface TranscriptToShow {
  readonly messages: readonly TranscriptMessage[];
  /** Records that can't be read, and are left out. */
  readonly unreadable: number;
  /** Turns that were undone, and are left out. */
  readonly undone: readonly string[];
}

/** Characters of arguments that stand in a call's title; longer ones stand below it. */
const ARGS_CHARS = 60;

/** A whole conversation to page: every message as it was said, no output elided. */
export function transcriptDocument({ messages, unreadable, undone }: TranscriptToShow): PagerDocument {
  const lost = unreadable === 0 ? [] : [note("lost", lostText(unreadable))];
  const back = undone.length === 0 ? [] : [note("undone", `Undone and left out: ${undone.join(", ")}.`)];
  const clock = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }); // Swedish dates are ISO dates
  const heads = { used: toolsUsed(messages), clock };
  const said = messages.flatMap((message, at) => sectionsOf(message, `${at}`, heads));
  const none = messages.length === 0 ? [note("none", "No messages in current conversation.")] : [];
  return { title: "transcript", sections: [...lost, ...back, ...none, ...said] };
}

const lostText = (count: number): string =>
  count === 1 ? "One damaged record is left out." : `${count} damaged records are left out.`;

const note = (id: string, text: string): PagerSection => ({ id, title: "", kind: "note", text, markdown: false });

function sectionsOf(message: TranscriptMessage, id: string, heads: Heads): readonly PagerSection[] {
  const text = textOf(message.content);
  switch (message.role) {
    case "user":
      return [
        {
          id,
          title: userTitle(message, heads),
          kind: "user",
          text: withImages(message.content, text),
          markdown: false,
        },
      ];
    case "assistant":
      return assistantSections(message, id);
    case "tool":
      return [{ id, title: resultTitle(message), kind: "result", text: text || "(empty)", markdown: false }];
    default:
      return message satisfies never;
  }
}

/** What titles are made of besides their messages. */
interface Heads {
  readonly used: ToolsUsed;
  /** Minutes, in the user's own time zone. */
  readonly clock: Intl.DateTimeFormat;
}

/** By turn: how often each tool was called. */
type ToolsUsed = ReadonlyMap<string, ReadonlyMap<string, number>>;

function toolsUsed(messages: readonly TranscriptMessage[]): ToolsUsed {
  const turns = new Map<string, Map<string, number>>();
  for (const message of messages) {
    const tools = turns.get(message.turn_id) ?? new Map<string, number>();
    turns.set(message.turn_id, tools);
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    for (const { name } of calls) tools.set(name, (tools.get(name) ?? 0) + 1);
  }
  return turns;
}

/** A line that opens a turn tells what tools the turn came to use. */
function userTitle({ turn_id, round, ts }: TranscriptMessage, { used, clock }: Heads): string {
  const head = `${turn_id} · ${round === 0 ? "you" : "you, meanwhile"} · ${clock.format(ts)}`;
  if (round !== 0) return head;
  const counts = [...(used.get(turn_id) ?? [])]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([name, n]) => `${name} × ${n}`);
  return [head, ...counts].join(" · ");
}

function assistantSections(message: AssistantMessage, id: string): readonly PagerSection[] {
  const { content, reasoning = "", tool_calls = [], turn_id, is_error } = message;
  const title = `${turn_id} · Smith${is_error === true ? " (cut off)" : ""}`;
  const isEmpty = content.trim() === "" && tool_calls.length === 0;
  return [
    ...(reasoning.trim() === ""
      ? []
      : [{ id: `${id}r`, title: `${turn_id} · reasoning`, kind: "result", text: reasoning, markdown: false } as const]),
    ...(content.trim() === "" && !isEmpty
      ? []
      : [{ id, title, kind: "assistant", text: isEmpty ? "_(empty)_" : content, markdown: true } as const]),
    ...tool_calls.map(({ name, arguments: args }, at) => {
      const isShort = args.length <= ARGS_CHARS && !/\n|\\n/.test(args);
      const call = `call ${name}${isShort ? ` ${args}` : ""}`;
      return {
        id: `${id}c${at}`,
        title: call,
        kind: "call",
        text: isShort ? "" : spread(args),
        markdown: false,
      } as const;
    }),
  ];
}

/** Arguments with a line for each, the texts in them as they are. */
function spread(args: string): string {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return args;
    return Object.entries(value)
      .map(([name, each]) => {
        const text = typeof each === "string" ? each : JSON.stringify(each);
        return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
      })
      .join("\n");
  } catch {
    return args; // no JSON: as the model sent it
  }
}

const resultTitle = ({ name, ok, is_error, content }: ToolMessage): string =>
  `result of ${name}${ok && is_error !== true ? "" : " (failed)"} · ${content.length.toLocaleString("en-US")} characters`;

function withImages(content: TranscriptMessage["content"], text: string): string {
  const images = typeof content === "string" ? 0 : content.filter(({ type }) => type === "image").length;
  return images === 0 ? text : `${text.trimEnd()}\n[${images === 1 ? "a picture" : `${images} pictures`}]`.trimStart();
}

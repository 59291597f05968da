import type { CommandAnswer } from "@smith/contract/command";
import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { SessionsHost } from "@smith/contract/session";
import { say } from "./command.ts";
import { rowOf, timeOf } from "./sessions-rows.ts";

export const FORMATS = ["md", "jsonl", "json"] as const;
export type Format = (typeof FORMATS)[number];

type Session = Awaited<ReturnType<SessionsHost["messages"]>>;

/** A session as a document. Its data is that of `json`, whatever the format. */
export function exported(session: Session, format: Format): CommandAnswer {
  const { conversation, messages, unreadable } = session;
  const data = { ...rowOf(conversation), messages, unreadable };
  if (format === "json") return say(JSON.stringify(data), data);
  return say(format === "jsonl" ? jsonLines(session) : markdown(session), data);
}

/** What the session is, then a message a line. */
function jsonLines({ conversation, messages, unreadable }: Session): string {
  const meta = {
    ts: conversation.created_at,
    kind: "meta",
    meta: { type: "session", ...rowOf(conversation), unreadable },
  };
  const lines = messages.map((message) => ({ ts: message.ts, kind: "message", message }));
  return [meta, ...lines].map((line) => JSON.stringify(line)).join("\n");
}

function markdown({ conversation, messages, unreadable }: Session): string {
  const { id, name, turns, updated_at } = conversation;
  const lost = unreadable === 0 ? "" : `, ${unreadable} damaged left out`;
  const head = [`# ${name}`, `Session ${id}, ${timeOf(updated_at)}, ${turns} turns${lost}.`];
  return [...head, ...messages.flatMap(paragraphs)].join("\n\n");
}

function paragraphs(message: TranscriptMessage): readonly string[] {
  const text = textOf(message.content);
  if (message.role === "user") return ["## User", text];
  if (message.role === "tool") return [`**${message.name}**${message.ok ? "" : " (failed)"}`, fenced(text)];
  const calls = (message.tool_calls ?? []).flatMap((call) => [`Calls **${call.name}**`, fenced(call.arguments)]);
  const cut = message.is_error === true ? ["*(cut off)*"] : [];
  return ["## Smith", ...(text === "" ? [] : [text]), ...cut, ...calls];
}

/** A fence longer than any in the text, so that the text can't end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

import type { CommandAnswer, SessionsHost } from "@smith/contract/command";
import { type TranscriptMessage, textOf } from "@smith/contract/message";
import type { Conversation } from "@smith/contract/store";
import { type Command, misuse, say } from "./command.ts";

/** `smith sessions`. */
export const sessions: Command = {
  name: "sessions",
  summary: "list, show and delete stored sessions",
  usage: ["list [--children] [--all] [--json]", "show ID [--json]", "delete ID"],
  example: "sessions show k3f9",
  doors: ["cli"],
  flags: [
    { name: "children", description: "list the sessions of jobs too" },
    { name: "all", description: "list those of every project" },
    { name: "json", description: "as JSON" },
  ],
  async run({ words, flags }, host) {
    const [verb = "list", id = "", ...rest] = words;
    if (rest.length > 0) return misuse(sessions);
    if (verb === "list" && id === "") {
      const which = { children: flags["children"] === true, all: flags["all"] === true };
      return list(await host.sessions.list(which), which.all);
    }
    if (id === "") return misuse(sessions);
    if (verb === "show") return show(id, host.sessions);
    if (verb === "delete") return remove(id, host.sessions);
    return misuse(sessions);
  },
};

/** A conversation as `--json` has it. */
const rowOf = ({ id, name, project_id, turns, messages, updated_at, parent }: Conversation) => ({
  id,
  name,
  project_id,
  turns,
  messages,
  updated_at,
  parent,
});

function list(found: readonly Conversation[], all: boolean): CommandAnswer {
  const none = all ? "No sessions are stored." : "No sessions of this project are stored; --all lists every project's.";
  const lines = found.map(({ id, turns, messages, updated_at, parent, name }) => {
    const size = `${turns} ${turns === 1 ? "turn" : "turns"}, ${messages} ${messages === 1 ? "message" : "messages"}`;
    const of = parent === null ? "" : `  (job of ${parent})`;
    return `${id.padEnd(10)}  ${timeOf(updated_at)}  ${size.padEnd(22)}  ${name}${of}`;
  });
  return say(found.length === 0 ? none : lines.join("\n"), found.map(rowOf));
}

/** Minutes, in the user's own time zone: `2026-01-31 09:05`. */
const timeOf = (ts: number): string => new Date(ts).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" }); // Swedish dates are ISO dates

async function show(wanted: string, host: SessionsHost): Promise<CommandAnswer> {
  const { conversation, messages, unreadable } = await host.messages(wanted);
  const head = `${conversation.id}  ${timeOf(conversation.updated_at)}  ${conversation.name}`;
  const lost = unreadable === 0 ? [] : [`[${unreadable} damaged ${unreadable === 1 ? "record" : "records"} left out]`];
  return say([head, ...lost, ...messages.map(shown)].join("\n\n"), {
    ...rowOf(conversation),
    messages,
    unreadable,
  });
}

function shown(message: TranscriptMessage): string {
  const text = textOf(message.content);
  if (message.role === "user") return `> ${text}`;
  if (message.role === "tool") return `[${message.name}${message.ok ? "" : " failed"}] ${text}`;
  const calls = (message.tool_calls ?? []).map((call) => `[call ${call.name} ${call.arguments}]`);
  return [...(text === "" ? [] : [text]), ...calls].join("\n");
}

async function remove(wanted: string, host: SessionsHost): Promise<CommandAnswer> {
  const gone = await host.delete(wanted);
  return say(`deleted ${gone.id}: ${gone.name}`, rowOf(gone));
}

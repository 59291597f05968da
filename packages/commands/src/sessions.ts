import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import type { Message, TranscriptMessage } from "@smith/contract/message";
import type { ContextView } from "@smith/contract/session";
import type { Conversation } from "@smith/contract/store";
import { type Command, type CommandCall, misuse, say } from "./command.ts";
import { usageLines } from "./context.ts";
import { exported, FORMATS } from "./sessions-export.ts";
import { rowOf, shownMessage, timeOf } from "./sessions-rows.ts";

/** `smith sessions` and `/sessions`. */
export const sessions: Command = {
  name: "sessions",
  aliases: ["list"],
  summary: "list, show, export, rename, copy and delete stored sessions",
  usage: [
    "list [--children] [--all] [--json]",
    "show ID [--context | --undone] [--json]",
    "export ID [--format md|jsonl|json] [--undone]",
    "rename ID NAME",
    "delete ID",
    "fork ID [--turn TURN_ID]",
  ],
  example: "sessions show k3f9",
  doors: ["slash", "cli"],
  flags: [
    { name: "children", description: "list the sessions of jobs too" },
    { name: "all", description: "list those of every project" },
    { name: "context", description: "show what the next turn would be sent of it" },
    { name: "undone", description: "with the turns that were undone" },
    { name: "format", value: "FORMAT", description: `export as ${FORMATS.join(", ")}; default md` },
    { name: "turn", value: "TURN_ID", description: "copy up to and including this turn" },
    { name: "json", description: "as JSON" },
  ],
  complete(words, host) {
    if (words.length <= 1) return Object.keys(VERBS);
    return words.length === 2 && words[0] !== "list" ? idsOf(host) : [];
  },
  async run(call, host) {
    const [verb = "list", ...words] = call.words;
    // In the shell the bare command is a look at the newest; every list of a program is whole.
    if (call.typed === "") return list(await host.sessions.list({ children: false, all: false }), { newest: NEWEST });
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    return (await run?.({ ...call, words }, host)) ?? misuse(sessions);
  },
};

/** `/delete`. */
export const deleteSession: Command = {
  name: "delete",
  summary: "delete a stored session with those of its jobs",
  usage: ["ID"],
  example: "delete k3f9",
  doors: ["slash"],
  complete: (words, host) => (words.length <= 1 ? idsOf(host) : []),
  run: async (call, host) => (await VERBS["delete"]?.(call, host)) ?? misuse(deleteSession),
};

/** Of this project's sessions, the last used first. */
const idsOf = async (host: CommandHost): Promise<readonly string[]> =>
  (await host.sessions.list({ children: false, all: false })).map(({ id }) => id);

/** Sessions that a bare `/sessions` or `/resume` lists. */
export const NEWEST = 10;

/** Each is given the words after it; null when they don't fit. */
type Verb = (call: CommandCall, host: CommandHost) => Promise<CommandAnswer | null>;

const VERBS: Readonly<Record<string, Verb>> = {
  async list({ words, flags }, host) {
    if (words.length > 0) return null;
    const which = { children: flags["children"] === true, all: flags["all"] === true };
    return list(await host.sessions.list(which), { all: which.all });
  },
  show: ofOne(async (id, { flags }, { sessions: host, session }) => {
    const found = await host.messages(id, { undone: flags["undone"] === true });
    const { conversation, messages, unreadable, undone } = found;
    const view = flags["context"] === true ? await session.context(conversation.id) : null;
    const shown = view?.messages.filter(isSaid) ?? messages;
    const title = `${conversation.id}  ${timeOf(conversation.updated_at)}  ${conversation.name}`;
    const head = view === null ? title : [title, ...usageLines(view)].join("\n");
    const lost =
      unreadable === 0 ? [] : [`[${unreadable} damaged ${unreadable === 1 ? "record" : "records"} left out]`];
    const data = {
      ...rowOf(conversation),
      messages: shown,
      unreadable,
      ...(undone.length === 0 ? {} : { undone }),
      ...(view === null ? {} : { context: sizesOf(view) }),
    };
    const back = undone.length === 0 ? [] : [`[undone: ${undone.join(", ")}; --undone shows undone turns]`];
    return say([head, ...lost, ...back, ...shown.map(shownMessage)].join("\n\n"), data);
  }),
  export: ofOne(async (id, { flags }, { sessions: host }) => {
    const format = FORMATS.find((each) => each === (flags["format"] ?? "md"));
    if (format === undefined) {
      return misuse(sessions, `--format ${flags["format"]}: expected ${FORMATS.join(", ")}.`);
    }
    return exported(await host.messages(id, { undone: flags["undone"] === true }), format);
  }),
  async rename({ words }, host) {
    const [id = "", ...name] = words;
    if (id === "" || name.length === 0) return null;
    const renamed = await host.sessions.rename(id, name.join(" "));
    return say(`renamed ${renamed.id}: ${renamed.name}`, rowOf(renamed));
  },
  delete: ofOne(async (id, _call, host) => {
    const gone = await host.sessions.delete(id);
    if (host.session.conversation() === gone.id) host.session.startAfresh();
    return say(`deleted ${gone.id}: ${gone.name}`, rowOf(gone));
  }),
  fork: ofOne(async (id, { flags }, { sessions: host }) => {
    const copy = await host.fork(id, typeof flags["turn"] === "string" ? flags["turn"] : null);
    return say(copy.id, rowOf(copy)); // the id alone: scripts take it
  }),
};

const isSaid = (message: Message): message is TranscriptMessage => message.role !== "system";

/** What of it the messages don't show. */
const sizesOf = ({ messages: _messages, unreadable: _unreadable, conversation_id: _id, ...rest }: ContextView) => rest;

function ofOne(run: (id: string, call: CommandCall, host: CommandHost) => Promise<CommandAnswer>): Verb {
  return async (call, host) => {
    const [id = "", ...rest] = call.words;
    return id === "" || rest.length > 0 ? null : run(id, call, host);
  };
}

export function list(
  found: readonly Conversation[],
  { all = false, newest = found.length }: { readonly all?: boolean; readonly newest?: number },
): CommandAnswer {
  const none = all ? "No sessions are stored." : "No sessions of this project are stored; --all lists every project's.";
  const older = found.length - Math.min(newest, found.length);
  const lines = found.slice(0, newest).map(({ id, turns, messages, updated_at, parent, name }) => {
    const size = `${turns} ${turns === 1 ? "turn" : "turns"}, ${messages} ${messages === 1 ? "message" : "messages"}`;
    const of = parent === null ? "" : `  (job of ${parent})`;
    return `${id.padEnd(10)}  ${timeOf(updated_at)}  ${size.padEnd(22)}  ${name}${of}`;
  });
  if (older > 0) lines.push(`and ${older} older: /sessions list shows all of them.`);
  return say(found.length === 0 ? none : lines.join("\n"), found.map(rowOf));
}

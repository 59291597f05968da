import type { CommandAnswer } from "@smith/contract/command";
import type { InspectHost, InspectRow } from "@smith/contract/inspect";
import { firstLine, textOf } from "@smith/contract/message";
import { type Command, type CommandCall, misuse, say } from "./command.ts";
import { shownMessage } from "./sessions-rows.ts";

/** `/inspect`. */
export const inspect: Command = {
  name: "inspect",
  summary: "look at the stored messages of this session, and edit or delete them (Alt-I)",
  usage: ["", "show N", "edit N TEXT", "delete N", "undo"],
  example: "inspect delete 7",
  doors: ["slash"],
  complete: (words) => (words.length <= 1 ? Object.keys(VERBS) : []),
  async run(call, { inspect: host }) {
    const [verb, ...words] = call.words;
    if (verb === undefined) return list(host);
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    return (await run?.({ ...call, words }, host)) ?? misuse(inspect);
  },
};

/** Each is given the words after it; null when they don't fit. */
type Verb = (call: CommandCall, host: InspectHost) => Promise<CommandAnswer | null>;

const VERBS: Readonly<Record<string, Verb>> = {
  show: ofOne(async (row) => say(shownMessage(row.message), row)),
  edit: ofOne(async (row, { words, typed }, host) => {
    // As it was typed, behind the number: blanks and line ends are part of a text.
    const text = typed?.replace(/^\S+\s+\S+\s?/, "") ?? words.slice(1).join(" ");
    await host.edit(row.seq, row.message, text);
    return say(`edited ${row.seq}. The next turn is sent it so; /inspect undo takes it back.`);
  }, "text"),
  delete: ofOne(async (row, _call, host) => {
    const gone = await host.remove(row.seq, row.message);
    return say(`deleted ${gone.join(", ")}. /inspect undo brings them back as long as smith runs.`, { deleted: gone });
  }),
  async undo({ words }, host) {
    if (words.length > 0) return null;
    const what = await host.takeBack();
    if (what === null)
      return { ok: false, say: "There is nothing to take back: nothing was changed here since smith began." };
    return say(`taken back: ${what}`);
  },
};

function ofOne(
  run: (row: InspectRow, call: CommandCall, host: InspectHost) => Promise<CommandAnswer>,
  more?: "text",
): Verb {
  return async (call, host) => {
    const [number = "", ...rest] = call.words;
    if (!/^\d{1,8}$/.test(number) || (more === undefined) !== (rest.length === 0)) return null;
    const { rows } = await host.read();
    const row = rows.find(({ seq }) => seq === Number(number));
    if (row !== undefined) return run(row, call, host);
    const there = rows.length === 0 ? "nothing is stored yet" : `they go from ${rows[0]?.seq} to ${rows.at(-1)?.seq}`;
    return { ok: false, say: `There is no message ${number} in this session: ${there}. /inspect lists them.` };
  };
}

async function list(host: InspectHost): Promise<CommandAnswer> {
  const found = await host.read();
  if (found.rows.length === 0) return { say: "Nothing is stored of this session yet." };
  const width = `${found.rows.at(-1)?.seq}`.length;
  const lines = found.rows.map((row) => `${`${row.seq}`.padStart(width)}  ${lineOf(row)}`);
  return { ...say(lines.join("\n"), found), view: { kind: "inspect" } };
}

function lineOf({ message, undone }: InspectRow): string {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []).map(({ name }) => `[call ${name}]`) : [];
  const who = message.role === "tool" ? `${message.name}${message.ok ? "" : " failed"}` : message.role;
  const text = firstLine(textOf(message.content), 100);
  return [`${message.turn_id} ${who}${undone ? " (undone)" : ""}:`, text, ...calls]
    .filter((part) => part !== "")
    .join(" ");
}

import { type Command, misuse, say } from "./command.ts";
import { list, NEWEST } from "./sessions.ts";

/** `/resume`. */
export const resume: Command = {
  name: "resume",
  aliases: ["load"],
  summary: "go on with a stored session; without ID: list them",
  usage: ["", "ID | latest"],
  example: "resume k3f9",
  doors: ["slash"],
  async run({ words }, { session, sessions }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(resume);
    if (wanted === undefined) return list(await sessions.list({ children: false, all: false }), { newest: NEWEST });
    const { id, name, turns, messages } = await session.resume(wanted);
    return say(`resumed ${id}: ${name} (${turns} turns, ${messages} messages)`, { id, name, turns, messages });
  },
};

/** `/rename`. */
export const rename: Command = {
  name: "rename",
  aliases: ["save"],
  summary: "name this session",
  usage: ["NAME"],
  example: "rename the parser",
  doors: ["slash"],
  async run({ words, typed }, { session, sessions }) {
    const name = (typed ?? words.join(" ")).trim();
    if (name === "") return misuse(rename);
    const id = session.conversation();
    if (id === null) return { ok: false, say: "There is nothing to name yet: a session begins with its first line." };
    return say(`renamed ${id}: ${(await sessions.rename(id, name)).name}`);
  },
};

/** `/clear`. */
export const clear: Command = {
  name: "clear",
  summary: "empty this session: the model is sent nothing of it any more; it stays stored",
  usage: [""],
  example: "clear",
  doors: ["slash"],
  async run({ words }, { session }) {
    if (words.length > 0) return misuse(clear);
    const emptied = await session.clear();
    return say(emptied ? "Emptied; what was said stays stored." : "There is nothing to empty yet.");
  },
};

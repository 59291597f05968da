import { type Command, misuse } from "./command.ts";
import { exported } from "./sessions-export.ts";

const NOTHING = "No messages in current conversation.";

/** `/pager`. */
export const pager: Command = {
  name: "pager",
  summary: "page through this session, every message and output in full (Alt-H)",
  usage: [""],
  example: "pager",
  doors: ["slash"],
  async run({ words }, { session, sessions }) {
    if (words.length > 0) return misuse(pager);
    const id = session.conversation();
    const known = id === null ? [] : await sessions.list({ children: false, all: true });
    if (!known.some((each) => each.id === id)) return { say: NOTHING };
    const found = await sessions.messages(id ?? "");
    return { ...exported(found, "md"), view: { kind: "transcript" } };
  },
};

import { firstLine } from "@smith/contract/message";
import type { Memory } from "@smith/contract/store";
import { type Command, misuse, say } from "./command.ts";

const LABEL_CHARS = 100;

/** `/memory`. */
export const memory: Command = {
  name: "memory",
  summary: "what this project remembers",
  usage: ["[list]", "show ID", "delete ID"],
  example: "memory show m7f3k2q",
  doors: ["slash"],
  async complete(words, host) {
    if (words.length <= 1) return ["list", "show", "delete"];
    return words.length === 2 && words[0] !== "list" ? (await host.memory.list()).map(({ id }) => id) : [];
  },
  async run({ words }, { memory: host }) {
    const [verb = "list", id, ...rest] = words;
    if (rest.length > 0) return misuse(memory);
    if (verb === "list" && id === undefined) return listed(await host.list());
    if (id === undefined || (verb !== "show" && verb !== "delete")) return misuse(memory);
    if (verb === "delete") return (await host.delete(id)) ? say(`deleted ${id}`, { id }) : unknown(id);
    const found = (await host.list()).find((each) => each.id === id);
    return found === undefined ? unknown(id) : say(found.content, found);
  },
};

const unknown = (id: string) => ({
  ok: false,
  say: `This project has no memory ${JSON.stringify(id)}. /memory lists them.`,
});

function listed(memories: readonly Memory[]) {
  if (memories.length === 0) {
    return say("This project remembers nothing yet: ask for something to be noted, and it is kept here.", memories);
  }
  return say(memories.map(({ id, content }) => `${id}  ${firstLine(content, LABEL_CHARS)}`).join("\n"), memories);
}

/** `/recall`. */
export const recall: Command = {
  name: "recall",
  summary: "the scratchpad of this session: its keys, or what stands under one",
  usage: ["", "KEY"],
  example: "recall plan",
  doors: ["slash"],
  complete: async (words, host) => (words.length <= 1 ? (await host.memory.keys()).map(({ key }) => key) : []),
  async run({ words, typed }, { memory: host }) {
    const key = (typed ?? words.join(" ")).trim();
    const keys = await host.keys();
    if (key === "") {
      const lines = keys.map((each) => `${each.key}  (${each.chars} characters)`);
      return say(lines.length === 0 ? "Nothing is recorded in this session." : lines.join("\n"), keys);
    }
    const value = await host.recall(key);
    if (value !== null) return say(value, { key, value });
    return { ok: false, say: `There is no key ${JSON.stringify(key)} in this session. /recall lists them.` };
  },
};

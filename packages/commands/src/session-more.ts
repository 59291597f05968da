import { type Command, misuse, say } from "./command.ts";
import { exported, FORMATS, type Format } from "./sessions-export.ts";

/** `/fork`. */
export const fork: Command = {
  name: "fork",
  summary: "go on in a copy of this session, whole or up to a turn; the original stays as it is",
  usage: ["[TURN_ID]"],
  example: "fork t3",
  doors: ["slash"],
  async run({ words }, { session, sessions }) {
    const [turn_id = null, ...rest] = words;
    if (rest.length > 0) return misuse(fork);
    const id = session.conversation();
    if (id === null) return { ok: false, say: "There is nothing to copy yet: a session begins with its first line." };
    const copy = await sessions.fork(id, turn_id);
    await session.resume(copy.id);
    return say(
      `going on in ${copy.id}, a copy of ${id} with ${copy.turns} ${copy.turns === 1 ? "turn" : "turns"}`,
      copy,
    );
  },
};

/** `/export`. */
export const exportSession: Command = {
  name: "export",
  summary: "write this session into a file, or show it: as Markdown, JSON lines or JSON",
  usage: ["[FILE] [--format md|jsonl|json]"],
  example: "export talk.md",
  doors: ["slash"],
  flags: [
    { name: "format", value: "FORMAT", description: `${FORMATS.join(", ")}; default: by the file's name, else md` },
  ],
  async run({ words, flags }, { session, sessions }) {
    const [file, ...rest] = words;
    const ending = file?.split(".").at(-1);
    const wanted = flags["format"] ?? (isFormat(ending) ? ending : "md");
    if (rest.length > 0 || !isFormat(wanted)) return misuse(exportSession);
    const id = session.conversation();
    if (id === null) return { ok: false, say: "There is nothing to export yet: a session begins with its first line." };
    const document = exported(await sessions.messages(id), wanted);
    if (file === undefined) return document;
    return say(`written to ${await session.write(file, `${document.say}\n`)}`, document.data);
  },
};

const isFormat = (text: unknown): text is Format => FORMATS.some((format) => format === text);

/** `/prompt`. */
export const prompt: Command = {
  name: "prompt",
  summary: "show the system prompt that the model is given",
  usage: [""],
  example: "prompt",
  doors: ["slash"],
  async run({ words }, { session }) {
    if (words.length > 0) return misuse(prompt);
    const text = await session.prompt();
    return { ...say(text, { prompt: text }), view: { kind: "text", title: "system prompt" } };
  },
};

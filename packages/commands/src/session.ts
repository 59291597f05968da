import { MODES } from "@smith/contract/config";
import { type Command, misuse, say } from "./command.ts";

/** `/role`. */
export const role: Command = {
  name: "role",
  summary: "show or switch the role that answers",
  usage: ["", "direct | orchestrator"],
  example: "role orchestrator",
  doors: ["slash"],
  complete: (words, host) => (words.length <= 1 ? host.policy.roles() : []),
  async run({ words }, { session, policy }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(role);
    if (wanted === undefined)
      return say(`role ${session.role()} (${policy.roles().join(", ")})`, { role: session.role() });
    await session.use({ role: wanted });
    return say(`role ${session.role()}, from the next turn on.`);
  },
};

/** `/mode`. */
export const mode: Command = {
  name: "mode",
  summary: "show or switch the session mode",
  usage: ["", MODES.join(" | ")],
  example: "mode plan",
  doors: ["slash"],
  complete: (words) => (words.length <= 1 ? MODES : []),
  async run({ words }, { session }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(mode);
    if (wanted === undefined) return say(`mode ${session.mode()} (${MODES.join(", ")})`, { mode: session.mode() });
    await session.use({ mode: wanted });
    return say(`mode ${session.mode()}, from the next turn on.`);
  },
};

/** `/model`. */
export const model: Command = {
  name: "model",
  summary: "show or switch the model of this session",
  usage: ["", "ID"],
  example: "model my-model",
  doors: ["slash"],
  async run({ words }, { session }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(model);
    if (wanted !== undefined) await session.use({ model: wanted });
    const now = session.model();
    if (now === null) return { ok: false, say: "No model is set. /config set default_model ID sets one." };
    return say(`model ${now.model} of ${now.provider} (${now.source})`, now);
  },
};

/** `/new`. */
export const fresh: Command = {
  name: "new",
  summary: "start a fresh conversation",
  usage: [""],
  example: "new",
  doors: ["slash"],
  async run(_call, { session }) {
    session.startAfresh();
    return say("A fresh conversation begins with your next line.");
  },
};

/** `/exit`. */
export const exit: Command = {
  name: "exit",
  aliases: ["quit", "q"],
  summary: "leave",
  usage: [""],
  example: "exit",
  doors: ["slash"],
  async run() {
    return { say: "", exit: 0 };
  },
};

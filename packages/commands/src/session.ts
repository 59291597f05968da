import type { CommandAnswer } from "@smith/contract/command";
import { MODES } from "@smith/contract/config";
import type { PolicyHost, RoleRow } from "@smith/contract/policy";
import { type Command, misuse, say } from "./command.ts";

/** `/role`. */
export const role: Command = {
  name: "role",
  summary: "show or switch the role that answers",
  usage: ["", "NAME"],
  example: "role orchestrator",
  doors: ["slash"],
  complete: (words, host) => (words.length <= 1 ? answering(host.policy).map(({ name }) => name) : []),
  async run({ words }, { session, policy }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(role);
    if (wanted === undefined) return showRole(session.role(), policy);
    await session.use({ role: wanted });
    return say(`role ${session.role()}, from the next turn on.`);
  },
};

/** The roles that can answer the user. */
export const answering = (policy: PolicyHost): readonly RoleRow[] =>
  policy.roles().filter(({ user_facing }) => user_facing);

function showRole(now: string, policy: PolicyHost): CommandAnswer {
  const rows = policy.roles();
  const custom = rows.flatMap(({ name, base, user_facing, description, source }) =>
    source === null ? [] : [`  ${name} (${base}${user_facing ? "" : ", for jobs"})  ${description}  ${source}`],
  );
  const head = `role ${now} (${answering(policy)
    .map(({ name }) => name)
    .join(", ")})`;
  return say([head, ...custom].join("\n"), { role: now, roles: rows });
}

/** `/mode`. */
export const mode: Command = {
  name: "mode",
  summary: "show or switch the session mode: full, ask before side effects, plan only",
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
    const now = await session.choose();
    return say(`model ${now.model} of ${now.provider} (${now.source})`, now);
  },
};

const EFFORTS = ["low", "medium", "high"];

/** `/effort`. */
export const effort: Command = {
  name: "effort",
  summary: "show or set how much a model that reasons may think",
  usage: ["", EFFORTS.join(" | ")],
  example: "effort high",
  doors: ["slash"],
  complete: (words) => (words.length <= 1 ? EFFORTS : []),
  async run({ words }, { session, config }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0 || (wanted !== undefined && !EFFORTS.includes(wanted))) return misuse(effort);
    if (wanted !== undefined) await session.use({ effort: wanted });
    const now = config.get("effort") ?? null;
    return say(now === null ? "effort is the model's own" : `effort ${now}, from the next turn on.`, { effort: now });
  },
};

/** `/provider`. */
export const provider: Command = {
  name: "provider",
  summary: "show the configured providers, or go on with one of them",
  usage: ["", "NAME"],
  example: "provider local",
  doors: ["slash"],
  complete: (words, host) =>
    words.length <= 1 ? providersOf(host.config.get("providers")).map(({ name }) => name) : [],
  async run({ words }, { session, config }) {
    const [wanted, ...rest] = words;
    if (rest.length > 0) return misuse(provider);
    const known = providersOf(config.get("providers"));
    const found = known.find(({ name }) => name === wanted);
    if (wanted !== undefined && found === undefined) return unknownProvider(wanted, known);
    const own = found?.model ?? session.model()?.model ?? config.get("default_model");
    if (found !== undefined) await session.use({ model: `${found.name}:${own}` });
    const now = await session.choose().catch(() => null); // the list is worth showing without one
    const lines = known.map(
      ({ name, kind, model }) =>
        `${name === now?.provider ? "*" : " "} ${name}  ${kind}${model === null ? "" : `  ${model}`}`,
    );
    const head =
      now === null ? "No model is set: /model says why." : `model ${now.model} of ${now.provider} (${now.source})`;
    return say([head, ...lines].join("\n"), { provider: now?.provider ?? null, providers: known });
  },
};

interface ProviderRow {
  readonly name: string;
  readonly kind: string;
  readonly model: string | null;
}

/** The configuration is data of whatever shape here; what does not look like a provider is none. */
function providersOf(value: unknown): readonly ProviderRow[] {
  return Object.values(Object(value) as Readonly<Record<string, unknown>>).flatMap((each) => {
    const { name, kind, model } = Object(each) as Readonly<Record<string, unknown>>;
    if (typeof name !== "string" || typeof kind !== "string") return [];
    return [{ name, kind, model: typeof model === "string" ? model : null }];
  });
}

function unknownProvider(wanted: string, known: readonly ProviderRow[]): CommandAnswer {
  const names = known.map(({ name }) => name).join(", ");
  const there = names === "" ? "None is configured; docs/MODELS.md shows how." : `Configured are: ${names}.`;
  return { ok: false, say: `There is no provider ${JSON.stringify(wanted)}. ${there}` };
}

/** `/new`. */
export const fresh: Command = {
  name: "new",
  summary: "start a fresh conversation",
  usage: [""],
  example: "new",
  doors: ["slash"],
  async run({ words }, { session }) {
    if (words.length > 0) return misuse(fresh);
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
  async run({ words }) {
    return words.length > 0 ? misuse(exit) : { say: "", exit: 0 };
  },
};

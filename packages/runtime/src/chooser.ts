import type { ModelChoice } from "./models.ts";
import type { Services } from "./services.ts";

/** Chooses each role's model once per configuration: what was looked for is not looked for again each turn. */
export interface Chooser {
  /** @throws {AgentError} `schema`/`no_model`, `config`. */
  choose(role: string): Promise<ModelChoice>;
  /** The last choice for a role; null before there was one. */
  chosen(role: string): ModelChoice | null;
  /** Another model from now on. @throws as `choose`; the one before stays then. */
  use(model: string, role: string): Promise<void>;
}

/** @param override the model of the flag; wins over every configured one. */
export function createChooser(services: Pick<Services, "model" | "role" | "config">, override: string | null): Chooser {
  let model = override;
  let from: object | null = null;
  const choices = new Map<string, Promise<ModelChoice>>();
  const last = new Map<string, ModelChoice>();

  const choose = async (role: string): Promise<ModelChoice> => {
    const config = services.config.effective(); // a new object after each change
    if (from !== config) choices.clear();
    from = config;
    const choice = choices.get(role) ?? services.model.select(services.role.resolve(role), model);
    choices.set(role, choice);
    choice.catch(() => choices.delete(role)); // a server that was down may be up the next time
    last.set(role, await choice);
    return choice;
  };
  return Object.freeze({
    choose,
    chosen: (role: string) => last.get(role) ?? null,
    async use(wanted: string, role: string) {
      const before = model;
      model = wanted;
      choices.clear();
      try {
        await choose(role);
      } catch (thrown) {
        model = before;
        choices.clear();
        throw thrown;
      }
    },
  });
}

import type { Confirm } from "@smith/contract/confirm";

/** The runtime is made before the shell that asks: until then a question waits for it. */
export interface Asker {
  readonly confirm: Confirm;
  answerBy(ask: Confirm): void;
}

export function createAsker(): Asker {
  let answerBy = (_ask: Confirm): void => {};
  const ready = new Promise<Confirm>((resolve) => {
    answerBy = resolve;
  });
  return Object.freeze({
    confirm: async (request, signal) => (await ready)(request, signal),
    answerBy,
  } satisfies Asker);
}

import { holdsKeyForm, isSecretName, MIN_SECRET, maskSecrets, shownArguments } from "@smith/contract/secret";
import type { HostOptions } from "./options.ts";

/** What an environment holds that may not be told. */
export interface Secrets {
  /** By the variable's own name, or because a key of ours is kept in it. */
  isNamed(name: string): boolean;
  /** By its form, or because a secret of another variable stands in it. */
  isHeldBy(value: string): boolean;
  /** A process's arguments in one line, without the secrets among them. */
  lineOf(args: readonly string[]): string;
}

export function secretsOf({ env, secret_env }: HostOptions): Secrets {
  const isNamed = (name: string) => isSecretName(name) || secret_env.includes(name);
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET && isNamed(name) ? [value] : [],
  );
  return {
    isNamed,
    isHeldBy: (value) => holdsKeyForm(value) || values.some((each) => value.includes(each)),
    lineOf: (args) => maskSecrets(shownArguments(args).join(" "), values),
  };
}

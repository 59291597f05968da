import { holdsKeyForm, isSecretName, MIN_SECRET, maskSecrets } from "@smith/contract/secret";
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
    lineOf: (args) => maskSecrets(args.map((arg, at) => shownArgument(arg, args[at - 1] ?? "")).join(" "), values),
  };
}

/** `--token x`, `--token=x`, `TOKEN=x`, `x-api-key: x` and curl's `-u bob:x` lose their x. */
function shownArgument(arg: string, before: string): string {
  const isValue = !arg.startsWith("-");
  if (isValue && /^--?[\w-]+$/.test(before) && isSecretName(before)) return "***";
  if (/^(?:-u|--(?:proxy-)?user)$/.test(before)) return arg.replace(/:.*$/s, ":***");
  const [, name = "", sign = ""] = /^([\w.-]+)(=|:\s*)/.exec(arg) ?? [];
  return sign !== "" && isSecretName(name) ? `${name}${sign}***` : arg;
}

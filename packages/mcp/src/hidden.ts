import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { holdsKeyForm, isSecretName, MIN_SECRET, secretInArgument } from "@smith/contract/secret";
import type { Address } from "./settings.ts";

/** What a server is given: by which variable, header, argument or part of the query. */
export interface Handed {
  readonly name: string;
  readonly value: string;
}

/** What a server is given that nobody else is to read, the longest first. */
export interface Hidden {
  /** Stand in no message of ours: all of it, since no name tells surely what is a secret. */
  readonly secrets: readonly string[];
  /** Stand in no answer of the server's, either: only what is a key by its name or form, or answers would lose words. */
  readonly keys: readonly string[];
}

export function hiddenOf(handed: readonly Handed[]): Hidden {
  const keys = handed.filter(({ name, value }) => isSecretName(name) || holdsKeyForm(value));
  const rest = handed.filter(({ value }) => !(isAbsolute(value) && existsSync(value))); // a place is what a message is about
  return { secrets: partsOf([...keys, ...rest]), keys: partsOf(keys) };
}

/** What is secret of an address as it is written down: values of its query, and of arguments that say so. */
export function inAddress(address: Address): readonly Handed[] {
  if (address.kind === "http") return [...address.url.searchParams].map(([name, value]) => ({ name, value }));
  const { args } = address;
  return args.map((arg, at) => ({ name: "secret", value: secretInArgument(arg, args[at - 1] ?? "") }));
}

function partsOf(handed: readonly Handed[]): readonly string[] {
  const parts = handed.flatMap(({ value }) => [
    value,
    value.trim(), // as a header carries it
    value.replace(/^\S+ /, ""), // without its `Bearer `
    ...(URL.canParse(value) ? pathOf(new URL(value)) : []),
  ]);
  const long = [...new Set(parts)].filter((part) => part.length >= MIN_SECRET);
  return long.sort((a, b) => b.length - a.length);
}

/** Some services have the key in the path, and servers quote that. */
const pathOf = ({ pathname, search }: URL): readonly string[] => [`${pathname}${search}`, pathname];

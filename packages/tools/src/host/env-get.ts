import type { ToolOutcome } from "@smith/contract/tool";
import { printable } from "../fault.ts";
import type { EnvArguments, HostOptions } from "./options.ts";
import { secretsOf } from "./secrets.ts";

const MAX_CHARS = 2000;
/** Without `keys`: names listed, and values told, at most. */
const MAX_NAMES = 500;
const MAX_VALUES = 50;

/** Never tells the value of a secret: neither by its own name, nor under another, nor inside a longer value. */
export function getEnv({ keys, prefix, reveal }: EnvArguments, options: HostOptions): ToolOutcome {
  const { env } = options;
  const names = Object.keys(env).sort();
  const secrets = secretsOf(options);
  const tell = (name: string): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    const shown = printable(name);
    if (value === undefined) return `${shown}=<unset>`;
    if (secrets.isNamed(name) || secrets.isHeldBy(value)) return `${shown}=<redacted: ${value.length} chars>`;
    if (!reveal) return `${shown}=set (${value.length} chars)`;
    const rest = value.length - MAX_CHARS;
    return `${shown}=${printable(value.slice(0, MAX_CHARS).toWellFormed())}${rest > 0 ? ` [${rest} more chars]` : ""}`;
  };
  if (keys === undefined && prefix === undefined) {
    const rest = names.length - MAX_NAMES;
    const more = rest > 0 ? [`[${rest} more; narrow them with prefix]`] : [];
    return said([`${names.length} variables`, ...names.slice(0, MAX_NAMES).map(printable), ...more]);
  }
  const found = prefix === undefined ? [] : names.filter((name) => name.startsWith(prefix));
  const rest = found.length - MAX_VALUES;
  const asked = [...new Set([...(keys ?? []), ...found.slice(0, MAX_VALUES)])];
  if (asked.length === 0) return said(["no matching variables"]);
  return said([...asked.map(tell), ...(rest > 0 ? [`[${rest} more; use a longer prefix]`] : [])]);
}

const said = (lines: readonly string[]): ToolOutcome => ({ ok: true, content: lines.join("\n") });

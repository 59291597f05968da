import type { ToolOutcome } from "@smith/contract/tool";
import { printable } from "../fault.ts";
import type { EnvArguments, HostOptions } from "./options.ts";

const MAX_CHARS = 2000;
/** Without `keys`: names listed, and values told, at most. */
const MAX_NAMES = 500;
const MAX_VALUES = 50;

const SECRET_NAME =
  /secret|token|passw|passphrase|_pass$|^pass$|_pwd$|key|credential|auth|cookie|private|session|dsn|signature|cert/i;
/** Values that are secrets whatever their name: known key forms, JWTs, PEM blocks, a password in an address. */
const SECRET_VALUE =
  /\b(?:sk|pk|rk|xox[abps]|gh[opsur]|glpat|github_pat|npm|hf)[-_][\w-]{8}|\bAKIA[0-9A-Z]{12}|\bAIza[\w-]{20}|\beyJ[\w-]{10,}\.|-----BEGIN|:\/\/[^/\s:@]*:[^/\s@]+@|bearer\s+\S/i;
/** A shorter value is too common to be taken for a secret that stands under another name. */
const MIN_SECRET = 6;

/** Never tells the value of a secret: neither by its own name, nor under another, nor inside a longer value. */
export function getEnv({ keys, prefix, reveal }: EnvArguments, { env, secret_env }: HostOptions): ToolOutcome {
  const names = Object.keys(env).sort();
  const isNamedSecret = (name: string) => SECRET_NAME.test(name) || secret_env.includes(name);
  const secrets = names.flatMap((name) => {
    const value = env[name];
    return value !== undefined && value.length >= MIN_SECRET && isNamedSecret(name) ? [value] : [];
  });
  const tell = (name: string): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    const shown = printable(name);
    if (value === undefined) return `${shown}=<unset>`;
    const isSecret = isNamedSecret(name) || SECRET_VALUE.test(value) || secrets.some((each) => value.includes(each));
    if (isSecret) return `${shown}=<redacted: ${value.length} chars>`;
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

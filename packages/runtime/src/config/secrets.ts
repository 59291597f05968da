import { shownArguments } from "@smith/contract/secret";
import { isLayer } from "./merge.ts";

/** Keys whose values are never shown: keys themselves, and maps that commonly carry them. */
const SECRET = /^(api_key|headers|env)$/;

/** `https://bob:token@host`: what stands before the last `@` of an address. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]+@/i;
/** `?key=token` of an address. */
const IN_QUERY = /([?&][^=&#]*(?:key|token|secret|sig|auth|passw|credential|code)[^=&#]*=)[^&#]+/gi;

/** The value with secrets masked, for whatever is shown to anybody. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return (isArguments(value) ? shownArguments(value) : value).map(maskSecrets);
  if (typeof value === "string") return maskAddress(value);
  if (!isLayer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? hidden(inner) : maskSecrets(inner)]),
  );
}

/** The value of a path: masked whole when the path itself ends in a secret. */
export const masked = (path: string, value: unknown): unknown =>
  value !== undefined && path.split(".").some((step) => SECRET.test(step)) ? hidden(value) : maskSecrets(value);

const isArguments = (list: readonly unknown[]): list is readonly string[] =>
  list.every((each) => typeof each === "string");

const maskAddress = (text: string): string =>
  text.includes("://") ? text.replace(PASSWORD, "$1***@").replace(IN_QUERY, "$1***") : text;

/** True for what {@link maskSecrets} shows only in part. */
export const holdsSecret = (value: unknown): boolean => JSON.stringify(maskSecrets(value)) !== JSON.stringify(value);

const hidden = (value: unknown): unknown =>
  isLayer(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, "***"])) : "***";

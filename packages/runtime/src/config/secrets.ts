import { isLayer } from "./merge.ts";

/** Keys whose values are never shown: keys themselves, and maps that commonly carry them. */
const SECRET = /^(api_key|headers|env)$/;

/** `https://bob:token@host`: what stands before the `@` of an address. */
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/)[^@/]+@/i;

/** The value with secrets masked, for whatever is shown to anybody. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value === "string") return value.replace(PASSWORD, "$1***@");
  if (!isLayer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? hidden(inner) : maskSecrets(inner)]),
  );
}

/** The value of a path: masked whole when the path itself ends in a secret. */
export const masked = (path: string, value: unknown): unknown =>
  value !== undefined && path.split(".").some((step) => SECRET.test(step)) ? hidden(value) : maskSecrets(value);

const hidden = (value: unknown): unknown =>
  isLayer(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, "***"])) : "***";

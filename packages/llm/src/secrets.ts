import type { HttpProxy } from "./proxy.ts";

/** What a request carries that nobody else may see. */
export interface Carried {
  readonly api_key: string | null;
  /** As they are configured. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly url: URL | null;
  readonly proxy: HttpProxy | null;
}

/** A key of one to three letters is a stand-in for local servers: masking it would only garble words. */
const MIN_KEY = 4;
/** A header may as well hold a plain word. */
const MIN_HEADER = 8;
/** Headers that say what is wanted or who asks. Whatever else a user adds is taken for a key. */
const PLAIN_HEADER =
  /^(?:accept.*|content-.*|user-agent|(?:http-)?referer|x-title|anthropic-(?:beta|version)|openai-(?:organization|project|beta))$/i;
const SECRET_QUERY = /key|token|secret|sig|auth|passw|credential|code/i;

/** Every form in which what is carried may come back, longest first. */
export function secretsOf({ api_key, headers = {}, url, proxy }: Carried): readonly string[] {
  const found = [
    ...atLeast(MIN_KEY, [api_key ?? "", ...(url === null ? [] : inAddress(url)), ...inProxy(proxy)]),
    ...atLeast(MIN_HEADER, Object.entries(headers).flatMap(inHeader)),
  ];
  return Object.freeze([...new Set(found)].sort((a, b) => b.length - a.length));
}

const atLeast = (length: number, texts: readonly string[]): string[] => texts.filter((text) => text.length >= length);

/** The value, and what stands behind its scheme (`Bearer …`). */
const inHeader = ([name, value]: readonly [string, string]): readonly string[] =>
  PLAIN_HEADER.test(name) ? [] : [value.trim(), value.trim().replace(/^\S+\s+/, "")];

function inAddress({ username, password, searchParams }: URL): readonly string[] {
  const query = [...searchParams].flatMap(([name, value]) => (SECRET_QUERY.test(name) ? bothForms(value) : []));
  // A user's name is no secret beside a password; alone it may be the token itself.
  return [...bothForms(password === "" ? username : password), ...basicOf(username, password), ...query];
}

const inProxy = (proxy: HttpProxy | null): readonly string[] =>
  proxy === null ? [] : [...bothForms(proxy.url.password), (proxy.authorization ?? "").replace(/^Basic /, "")];

const basicOf = (username: string, password: string): readonly string[] =>
  username === "" ? [] : [Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")];

const bothForms = (text: string): readonly string[] => [text, decoded(text), encodeURIComponent(text)];

/** A bare `%` is meant as it stands. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text with each of the secrets shown as `shown` makes it. */
export const mask = (text: string, secrets: readonly string[], shown: (secret: string) => string): string =>
  secrets.reduce((all, secret) => all.replaceAll(secret, () => shown(secret)), text);

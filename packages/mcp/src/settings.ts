import { isAbsolute, resolve } from "node:path";
import { type BaseRole, MCP_DEFAULTS, type McpServer } from "@smith/contract/config";
import { maskSecrets, shownArguments } from "@smith/contract/secret";
import { configFault, type Env, expand } from "./expand.ts";
import { type Handed, type Hidden, hiddenOf, inAddress } from "./hidden.ts";

/** What a server is reached by, variables put in. */
export type Address =
  | {
      readonly kind: "stdio";
      readonly program: string;
      readonly args: readonly string[];
      readonly env: Env;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** A server as the configuration has it, defaults filled in. */
export type ServerConfig = McpServer & {
  readonly roles: readonly BaseRole[];
  readonly timeout_s: number;
  readonly start_timeout_s: number;
  readonly enabled: boolean;
};

export const withDefaults = (server: McpServer): ServerConfig => ({
  ...server,
  roles: server.roles ?? [...MCP_DEFAULTS.roles],
  timeout_s: server.timeout_s ?? MCP_DEFAULTS.timeout_s,
  start_timeout_s: server.start_timeout_s ?? MCP_DEFAULTS.start_timeout_s,
  enabled: server.enabled ?? MCP_DEFAULTS.enabled,
});

/** Where variables come from, and what a program gets of them. */
export interface Surroundings {
  readonly env: Env;
  /** Names that no program is given unless its own `env` does. */
  readonly scrub: readonly string[];
  readonly cwd: string;
}

/** A server's address, and what it takes that is nobody else's business. */
export interface Reach {
  readonly address: Address;
  readonly hidden: Hidden;
}

/** @throws {AgentError} `schema`/`config` for a missing variable, or a value that no request could carry. */
export function reachOf(name: string, server: McpServer, surroundings: Surroundings): Reach {
  const place = `mcp_servers.${name}`;
  const handed: Handed[] = [];
  const put: Put = (text, where, key) => {
    const value = expand(text, surroundings.env, `${place}.${where}`, (variable, each) =>
      handed.push({ name: variable, value: each }),
    );
    if (key !== undefined) handed.push({ name: key, value });
    return value;
  };
  const address = "url" in server ? httpOf(server, put, place) : stdioOf(server, put, surroundings);
  return { address, hidden: hiddenOf([...handed, ...inAddress(address)]) };
}

/** Puts variables into what stands there. With a `key` the whole is handed to the server under that name. */
type Put = (text: string, where: string, key?: string) => string;

type Via<T> = Extract<McpServer, T>;

const httpOf = ({ url, headers }: Via<{ url: string }>, put: Put, place: string): Address => ({
  kind: "http",
  url: urlOf(put(url, "url"), place),
  headers: headersOf(headers, put, place),
});

function stdioOf(server: Via<{ command: string }>, put: Put, { env, scrub, cwd }: Surroundings): Address {
  const own = Object.entries(server.env ?? {}).map(([key, value]) => [key, put(value, `env.${key}`, key)] as const);
  const given = Object.entries(env).filter(([key]) => !scrub.includes(key));
  const folder = put(server.cwd ?? ".", "cwd");
  return {
    kind: "stdio",
    program: put(server.command, "command"),
    args: (server.args ?? []).map((arg, at) => put(arg, `args[${at}]`)),
    env: Object.fromEntries([...given, ...own]),
    cwd: isAbsolute(folder) ? folder : resolve(cwd, folder),
  };
}

function urlOf(text: string, place: string): URL {
  if (!URL.canParse(text)) throw configFault(`${place}.url is no address once its variables are put in.`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw configFault(`${place}.url: expected an http(s) address.`);
  if (url.username === "" && url.password === "") return url;
  throw configFault(`${place}.url holds a password. Put it into ${place}.headers, as an Authorization header.`);
}

function headersOf(
  headers: Readonly<Record<string, string>> = {},
  put: Put,
  place: string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(
    ([name, text]) => [name, put(text, `headers.${name}`, name).trim()] as const,
  );
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name))
      throw configFault(`${place}.headers: ${JSON.stringify(name)} is no header name.`);
    // The value itself is not shown: it is a key, most often.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw configFault(`${place}.headers.${name} holds a character that no header can carry, a line end perhaps.`);
    }
  }
  return Object.fromEntries(entries);
}

/** Where it is from, for people: without what its variables hold, without passwords and query. */
export function shownAddress(server: McpServer): string {
  if (!("url" in server)) return clip(maskSecrets(shownArguments([server.command, ...(server.args ?? [])]).join(" ")));
  return clip(maskSecrets(server.url.includes("${") ? server.url.replace(/[?#].*$/s, "") : bare(server.url)));
}

function bare(address: string): string {
  const url = new URL(address);
  [url.username, url.password, url.search, url.hash] = ["", "", "", ""];
  return url.href;
}

const clip = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199).toWellFormed()}…`);

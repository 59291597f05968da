import { isAbsolute, resolve } from "node:path";
import { type BaseRole, MCP_DEFAULTS, type McpServer } from "@smith/contract/config";
import { configFault, type Env, expand } from "./expand.ts";

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

/** @throws {AgentError} `schema`/`config` for a missing variable, or a value that no request could carry. */
export function addressOf(name: string, server: McpServer, { env, scrub, cwd }: Surroundings): Address {
  const place = `mcp_servers.${name}`;
  const put = (text: string, where: string) => expand(text, env, `${place}.${where}`);
  if ("url" in server) {
    return { kind: "http", url: urlOf(put(server.url, "url"), place), headers: headersOf(server.headers, put, place) };
  }
  const own = Object.entries(server.env ?? {}).map(([key, value]) => [key, put(value, `env.${key}`)] as const);
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
  put: (text: string, where: string) => string,
  place: string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, text]) => [name, put(text, `headers.${name}`).trim()] as const);
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
  if (!("url" in server)) return clip([server.command, ...(server.args ?? [])].join(" "));
  const url = new URL(server.url);
  [url.username, url.password, url.search, url.hash] = ["", "", "", ""];
  return clip(url.href);
}

const clip = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199).toWellFormed()}…`);

/** What must stand in no message: the values that the configuration hands to the server. */
export function secretsOf(address: Address, server: McpServer): readonly string[] {
  const values = address.kind === "http" ? address.headers : address.env;
  const given = Object.keys(("url" in server ? server.headers : server.env) ?? {}).map((key) => values[key] ?? "");
  const parts = given.flatMap((value) => [value, value.replace(/^\S+ /, "")]); // also without its `Bearer `
  return parts.filter((value) => value.length >= 6).sort((a, b) => b.length - a.length);
}

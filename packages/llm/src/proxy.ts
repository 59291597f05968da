import { AgentError } from "@smith/contract/error";
import { decoded } from "./secrets.ts";

/** A proxy that a request goes through. */
export interface HttpProxy {
  readonly url: URL;
  /** The variable that names it, for messages. */
  readonly variable: string;
  /** Value of `proxy-authorization`, or null. */
  readonly authorization: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment sets for an address: `HTTPS_PROXY` or `HTTP_PROXY` by its protocol, else `ALL_PROXY`,
 * in lower case first, unless `NO_PROXY` exempts the host. A server on this machine is asked directly, unless the proxy
 * is on this machine too: no other could reach it.
 * @throws {AgentError} `bad_request`, naming the variable, for a value that is no http(s) address.
 */
export function proxyFor(target: URL, env: Env): HttpProxy | null {
  const own = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = firstSet([own.toLowerCase(), own, "all_proxy", "ALL_PROXY"], env);
  if (found === null || isExempt(target, (env["no_proxy"] ?? env["NO_PROXY"] ?? "").toLowerCase())) return null;
  const url = parseProxy(found.value, found.variable);
  if (isLoopback(target.hostname) && !isLoopback(url.hostname)) return null;
  const { username, password } = url;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return Object.freeze({
    url,
    variable: found.variable,
    authorization: username === "" ? null : `Basic ${Buffer.from(credentials).toString("base64")}`,
  });
}

function firstSet(variables: readonly string[], env: Env): { variable: string; value: string } | null {
  for (const variable of variables) {
    const value = env[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return null;
}

function parseProxy(value: string, variable: string): URL {
  const text = value.includes("://") ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new AgentError({
    kind: "protocol",
    code: "bad_request",
    origin: "llm/proxy",
    message: `The proxy in ${variable} is no http(s) address. Set ${variable} to one like http://host:8080, or name the model's host in NO_PROXY.`,
    data: { reason: "proxy" },
  });
}

export const isLoopback = (host: string): boolean => /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

/** `NO_PROXY`: hosts parted by commas or blanks, each with its sub-domains, perhaps with a port; `*` is every host. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const at = port || (protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, host = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (host === "" || (only !== undefined && only !== at)) return false;
    return hostname === host || hostname === `[${host}]` || hostname.endsWith(`.${host}`);
  });
}

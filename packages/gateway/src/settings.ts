import { homedir } from "node:os";
import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import { isLoopback } from "@smith/contract/platform";
import { secretValues } from "@smith/contract/secret";
import type { Secrets } from "./reply.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where the webhook listens, and who may use it. */
export interface WebhookSettings {
  readonly bind: string;
  readonly port: number;
  /** Null: none is asked for. */
  readonly token: string | null;
  /** What is odd about them, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * From the environment, else from the configuration.
 * @throws {AgentError} `schema`/`config` for an address that others can reach, without a token.
 */
export function webhookSettings({ gateway }: Readonly<Config>, env: Env): WebhookSettings {
  const bind = filled(env["SMITH_GATEWAY_BIND"]) ?? gateway.bind;
  const token = filled(env["SMITH_GATEWAY_TOKEN"]);
  if (token === null && !isLoopback(bind)) throw unguarded(bind);
  const wanted = filled(env["SMITH_GATEWAY_PORT"]);
  const port = wanted === null ? gateway.port : portOf(wanted);
  if (port !== null) return { bind, port, token, warnings: [] };
  const text = `SMITH_GATEWAY_PORT is ${JSON.stringify(wanted)}, which is no port (1 to 65535); ${DEFAULT_PORT} is used.`;
  return { bind, port: DEFAULT_PORT, token, warnings: [text] };
}

const DEFAULT_PORT = 8089;

/** A variable's value; null where it is not set or blank. */
export const filled = (value: string | undefined): string | null => {
  const text = value?.trim() ?? "";
  return text === "" ? null : text;
};

function portOf(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

const unguarded = (bind: string): AgentError =>
  new AgentError({
    kind: "schema",
    code: "config",
    origin: "gateway/settings",
    message: `The webhook would listen on ${bind}, where others can reach it, and SMITH_GATEWAY_TOKEN is not set. Set a token, or bind 127.0.0.1.`,
  });

/** What no chat may be shown. @param roots folders whose absolute paths it may not be shown. */
export function secretsOf(config: Readonly<Config>, env: Env, roots: readonly string[]): Secrets {
  const { llm_config, providers, services, mcp_servers } = config;
  const written = [
    ...providers.flatMap(({ api_key, headers }) => [api_key ?? "", ...Object.values(headers ?? {})]),
    ...Object.values(mcp_servers).flatMap((server) =>
      Object.values(("url" in server ? server.headers : server.env) ?? {}),
    ),
  ];
  const named = [
    ...[llm_config, ...providers, services.tool.web_search].flatMap(({ api_key_env }) => api_key_env ?? []),
    ...written.flatMap((text) => Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = ""]) => name)),
  ];
  const bare = written.map((text) => text.replace(/^\S+\s+/, "")); // of `Bearer …` the key alone, too
  const values = [...secretValues(env), ...named.map((name) => env[name] ?? ""), ...written, ...bare];
  return { roots, home: homedir(), values: values.map((value) => value.trim()) };
}

import { existsSync } from "node:fs";
import type { McpServer } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { ConnectFault, Connection } from "./connection.ts";
import { type Address, shownAddress } from "./settings.ts";
import { quote } from "./words.ts";

/** Whose fault it is. */
export interface Culprit {
  readonly name: string;
  readonly config: McpServer;
  /** Null: its variables could not be put in. */
  readonly address: Address | null;
  /** Must stand in no message. */
  readonly secrets: readonly string[];
}

/** What a request came to, in the server's or the system's words; `code` is the server's, or the status of HTTP. */
export interface Reason {
  readonly code: number | string | null;
  readonly text: string;
}

export function reasonOf(thrown: unknown): Reason {
  if (!(thrown instanceof Error)) return { code: null, text: String(thrown) };
  const { cause } = thrown;
  const below = cause instanceof Error ? reasonOf(cause) : null; // `fetch failed` says nothing: what it was is below it
  const text = thrown.message.replace(/^(MCP error -?\d+: |Streamable HTTP error: |Error POSTing to endpoint: )+/, "");
  return { code: codeOf(thrown) ?? below?.code ?? null, text: below === null || below.text === "" ? text : below.text };
}

const codeOf = (error: object): number | string | null =>
  "code" in error && (typeof error.code === "number" || typeof error.code === "string") ? error.code : null;

/** Why a server could not be started or reached. `late`: the seconds it was given are over. */
export function startFault(thrown: unknown, culprit: Culprit, late: number | null): AgentError {
  if (thrown instanceof AgentError) return thrown; // the configuration
  const { why = null, words = "" } = thrown instanceof Error && "words" in thrown ? (thrown as ConnectFault) : {};
  const reason = reasonOf(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown);
  const said = quote(words, culprit.secrets);
  const told = said === "" ? "" : ` Its last words: ${JSON.stringify(said)}.`;
  const message = `The MCP server ${culprit.name} ${startText(reason, why, culprit, late)}${told}`;
  return new AgentError({ kind: "transport", code: "mcp_unavailable", origin: "mcp/server", message });
}

function startText(reason: Reason, why: string | null, culprit: Culprit, late: number | null): string {
  const { name, config, address, secrets } = culprit;
  if (late !== null) return `did not answer within ${late} s and was given up; it is tried again with the next turn.`;
  if (why !== null && why !== "was closed") return `${why} before it was ready.`;
  if (address?.kind === "http") return httpText(reason, shownAddress(config), culprit);
  if (reason.code === "ENOENT" && address !== null && !existsSync(address.cwd)) {
    return `can't be started: there is no folder ${address.cwd} (mcp_servers.${name}.cwd).`;
  }
  const program = JSON.stringify(quote(address?.program ?? "", secrets));
  if (reason.code === "ENOENT")
    return `can't be started: there is no program ${program} (mcp_servers.${name}.command).`;
  if (reason.code === "EACCES") return `can't be started: ${program} may not be run (permission denied).`;
  return `can't be used: ${quote(reason.text, secrets)}.`;
}

function httpText({ code, text }: Reason, url: string, { name, secrets }: Culprit): string {
  if (code === 401 || code === 403) {
    return `at ${url} answered ${code}: it wants a key. Put it into a variable, and {"Authorization": "Bearer \${THE_VARIABLE}"} into mcp_servers.${name}.headers; Smith does no OAuth.`;
  }
  if (code === 404 || code === 405) {
    return `at ${url} answered ${code}: nothing there speaks MCP over streamable HTTP. Check mcp_servers.${name}.url; the older SSE form is not supported.`;
  }
  const said = quote(text, secrets);
  if (typeof code !== "number") return `at ${url} can't be reached: ${said}.`;
  return code >= 100 ? `at ${url} answered ${code}: ${said}.` : `at ${url} does not speak MCP: ${said}.`;
}

/** Why a call did not come to an answer. */
export function callFault(
  thrown: unknown,
  culprit: Culprit,
  connection: Pick<Connection, "isOpen" | "why" | "lastWords">,
): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const { name, secrets } = culprit;
  const { code, text } = reasonOf(thrown);
  if (!connection.isOpen()) {
    const said = quote(connection.lastWords(), secrets);
    const message = `The MCP server ${name} ${connection.why() ?? "closed the connection"} before it answered: what the call did is not known. It is started again with its next call.${said === "" ? "" : ` Its last words: ${JSON.stringify(said)}.`}`;
    return new AgentError({ kind: "tool", code: "mcp_closed", origin: "mcp/server", message });
  }
  const said = quote(text, secrets, 2000) || "no reason given";
  const message = `The MCP server ${name} answered with an error${code === null ? "" : ` (${code})`}: ${said}`;
  return new AgentError({ kind: "tool", code: "mcp_error", origin: "mcp/server", message });
}

export const outOfTime = (name: string, seconds: number): AgentError =>
  new AgentError({
    ...{ kind: "tool", code: "timeout", origin: "mcp/server" },
    message: `The MCP server ${name} did not answer within ${seconds} s and was told to stop. What the call did is not known; mcp_servers.${name}.timeout_s gives it more time.`,
  });

export const stillStarting = (name: string): AgentError =>
  new AgentError({
    ...{ kind: "transport", code: "mcp_unavailable", origin: "mcp/server" },
    message: `The MCP server ${name} is still starting. Nothing was done; call it again in a moment.`,
  });

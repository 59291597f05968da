import { AgentError } from "@smith/contract/error";

export type Env = Readonly<Record<string, string | undefined>>;

/** `${NAME}` and `${NAME:-what else}`. */
const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/**
 * Puts variables of the environment into a text of the configuration.
 * @param place where the text stands, as `mcp_servers.git.headers.Authorization`.
 * @param onValue told what was put in, and the variable it is for.
 * @throws {AgentError} `schema`/`config` for a variable that is not set and has no stand-in.
 */
export const expand = (
  text: string,
  env: Env,
  place: string,
  onValue: (variable: string, value: string) => void,
): string =>
  text.replace(REFERENCE, (_whole, name: string, standIn: string | undefined) => {
    const value = env[name] ?? standIn;
    if (value !== undefined) {
      onValue(name, value);
      return value;
    }
    throw configFault(
      `${place} needs the variable ${name}, which is not set. Set it, or write \${${name}:-a default}.`,
    );
  });

export const configFault = (message: string): AgentError =>
  new AgentError({ kind: "schema", code: "config", origin: "mcp/settings", message });

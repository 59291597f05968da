import { homedir } from "node:os";
import { join } from "node:path";
import { AgentError } from "@smith/contract/error";

export interface Paths {
  /** The user's configuration file; it may not exist. */
  readonly user_config: string;
  readonly database: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where Smith's files are: `SMITH_HOME` holds both when set, else the XDG folders, else `~/.config` and `~/.local/share`.
 * @throws {AgentError} `persistence`/`no_home` when none of them can be told.
 */
export function findPaths(env: Env): Paths {
  const home = env["SMITH_HOME"];
  if (home !== undefined && home !== "") {
    return { user_config: join(home, "config.json"), database: join(home, "smith.db") };
  }
  return {
    user_config: join(folder(env, "XDG_CONFIG_HOME", ".config"), "smith", "config.json"),
    database: join(folder(env, "XDG_DATA_HOME", ".local/share"), "smith", "smith.db"),
  };
}

function folder(env: Env, variable: string, below: string): string {
  const set = env[variable];
  if (set?.startsWith("/")) return set; // the XDG specification: a relative path is invalid and ignored
  const home = env["HOME"] || passwdHome();
  if (home === "") {
    throw new AgentError({
      kind: "persistence",
      code: "no_home",
      origin: "runtime/paths",
      message: `Neither ${variable} nor HOME is set, so there is no place for ~/${below}/smith. Set HOME or SMITH_HOME.`,
    });
  }
  return join(home, below);
}

const passwdHome = (): string => {
  try {
    return homedir();
  } catch {
    return ""; // no entry in the user database: the caller says what to set
  }
};

import type { Check } from "@smith/contract/doctor";
import { toAgentError } from "@smith/contract/error";
import type { McpRow } from "@smith/contract/mcp";
import type { PluginRow } from "@smith/contract/plugin";
import type { SettingsSources } from "../config/settings.ts";
import type { Env } from "../endpoints.ts";
import { configFiles, database, home } from "./files.ts";
import { gateway } from "./gateway.ts";
import { git, node, ripgrep, sqlite, system, terminal } from "./machine.ts";
import { mcp } from "./mcp.ts";
import { localServers, type ModelFacts, model, providers, proxy } from "./models.ts";
import { plugins } from "./plugins.ts";

/**
 * The runtime's own functions that are looked with. They are handed in: were they imported, what a start loads would come
 * in one file more.
 */
export type Instruments = Pick<typeof import("../config/settings.ts"), "readConfigFiles" | "openSettings"> &
  Pick<typeof import("../endpoints.ts"), "endpointsOf" | "isUsable" | "leftOut" | "shownUrl"> &
  Pick<typeof import("../catalog.ts"), "listOptions"> &
  Pick<typeof import("../discover.ts"), "findLocalServers">;

/** What is looked at. */
export interface Patient {
  readonly with: Instruments;
  readonly env: Env;
  readonly cwd: string;
  readonly sources: SettingsSources;
  /** What a turn would use. @throws {AgentError} as a start does. */
  models(): Promise<ModelFacts>;
  /** The MCP servers, after they were started. @throws {AgentError} as a start does. */
  mcp(): Promise<readonly McpRow[]>;
  /** The plugins, after they were loaded. @throws {AgentError} as a start does. */
  plugins(): Promise<readonly PluginRow[]>;
  /** What is to be said of the database beyond its file; absent: nothing more. Must change nothing in it. */
  lookAtStore?(file: string): Promise<readonly Check[]>;
}

type Look = (patient: Patient) => Promise<readonly Check[]>;

/** Everything that is looked at, in the order it is shown. What may change the database by opening it comes last. */
const LOOKS: readonly (readonly [name: string, look: Look])[] = [
  ["node", node],
  ["system", system],
  ["sqlite", sqlite],
  ["home", home],
  ["config", configFiles],
  ["database", database],
  ["git", git],
  ["ripgrep", ripgrep],
  ["terminal", terminal],
  ["local servers", localServers],
  ["model", model],
  ["providers", providers],
  ["proxy", proxy],
  ["plugins", plugins],
  ["mcp", mcp],
  ["gateway", gateway],
];

/** All checks. Never rejects: a look that fails is a check that is not ok. */
export async function examine(patient: Patient): Promise<readonly Check[]> {
  const looked: (readonly Check[])[] = [];
  for (const [name, look] of LOOKS) looked.push(await look(patient).catch((thrown: unknown) => [failed(name, thrown)]));
  return looked.flat();
}

/** The message of an error of ours names its own mend. */
export function failed(name: string, thrown: unknown): Check {
  const { message } = toAgentError(thrown, "runtime/doctor");
  return { name, ok: false, detail: message, mend: "Do what the message says, then run smith doctor again." };
}

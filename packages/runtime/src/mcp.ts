import { type BaseRole, type Config, MCP_DEFAULTS } from "@smith/contract/config";
import type { McpRow } from "@smith/contract/mcp";
import type { OpenProgram } from "@smith/contract/program";
import type { AnyTool } from "@smith/contract/tool";
import type { Mcp } from "@smith/mcp";
import { findRoot } from "./project.ts";
import { VERSION } from "./version.ts";

/** Who is about to be offered tools, and how long that may take. */
export interface ToolNeed {
  readonly role: BaseRole;
  readonly signal: AbortSignal;
  /** What the user is to know. */
  warn(sentences: readonly string[]): void;
  /** What is waited for, once that takes a while. */
  wait(sentence: string): void;
}

export interface McpParts {
  config(): Readonly<Config>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that programs are not given. */
  scrub(): readonly string[];
  readonly open: OpenProgram;
  cwd(): string;
}

/** The MCP servers of a session. Nothing of them is loaded before a role needs one. */
export interface McpServers {
  /** The tools of all servers that run, after those of the role were started. The same list unless something changed. */
  forRole(need: ToolNeed): Promise<readonly AnyTool[]>;
  known(): readonly AnyTool[];
  rows(signal: AbortSignal): Promise<readonly McpRow[]>;
  close(): Promise<void>;
}

const NONE: readonly AnyTool[] = Object.freeze([]);

export function createMcpServers({ config, env, scrub, open, cwd }: McpParts): McpServers {
  let mcp: Promise<Mcp> | null = null;
  let at_hand: Mcp | null = null;
  const servers = () => Object.values(config().mcp_servers);
  const isWanted = (name: BaseRole) =>
    servers().some(
      ({ enabled, roles }) => (enabled ?? MCP_DEFAULTS.enabled) && (roles ?? MCP_DEFAULTS.roles).includes(name),
    );
  const load = (): Promise<Mcp> => {
    mcp ??= import("@smith/mcp").then(({ createMcp }) => {
      at_hand = createMcp({
        ...{ servers: config().mcp_servers, version: VERSION, open },
        surroundings: () => ({ env, scrub: scrub(), cwd: cwd() }),
        root: () => findRoot(cwd()) ?? cwd(),
      });
      return at_hand;
    });
    return mcp;
  };
  return Object.freeze({
    async forRole({ role, ...need }: ToolNeed) {
      if (!isWanted(role)) return at_hand?.known() ?? NONE;
      const { tools, notices } = await (await load()).forRole(role, need);
      need.warn(notices);
      return tools;
    },
    known: () => at_hand?.known() ?? NONE,
    rows: async (signal: AbortSignal) => (servers().length === 0 ? [] : (await load()).rows(signal)),
    async close() {
      await (await mcp)?.close();
    },
  });
}

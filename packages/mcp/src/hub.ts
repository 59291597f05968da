import type { BaseRole, McpServer } from "@smith/contract/config";
import type { McpRow } from "@smith/contract/mcp";
import type { AnyTool } from "@smith/contract/tool";
import type { Offer } from "./offered.ts";
import { createServer, type Server, type ServerParts } from "./server.ts";
import { shownAddress, withDefaults } from "./settings.ts";
import { createTool } from "./tool.ts";

/** Tools of all servers that are offered: endpoints take 128, and Smith has some of its own. */
const MAX_TOOLS = 100;

export interface McpOptions extends Omit<ServerParts, "name" | "config"> {
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** A turn that waits for its servers. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Told when it takes a while. */
  wait(sentence: string): void;
}

/** Ms after which a wait is told. */
const WAIT_TOLD_MS = 1500;

/** What a turn gets. */
export interface McpTools {
  /** The same list as the last time, unless something changed. */
  readonly tools: readonly AnyTool[];
  /** What the user is to know: a server that did not start, tools that are left out. */
  readonly notices: readonly string[];
}

export interface Mcp {
  /** The tools of all servers that run, after those of the role were started. Never rejects. */
  forRole(role: BaseRole, turn: Waiting): Promise<McpTools>;
  /** Those that are known already: nothing is started. */
  known(): readonly AnyTool[];
  /** Every configured server, after those that are enabled were started. Never rejects. */
  rows(signal: AbortSignal): Promise<readonly McpRow[]>;
  /** Ends all servers. */
  close(): Promise<void>;
}

export function createMcp({ servers: configured, ...parts }: McpOptions): Mcp {
  const all = Object.entries(configured).map(([name, config]) => ({ name, config: withDefaults(config) }));
  const servers = all.filter(({ config }) => config.enabled).map((each) => createServer({ ...parts, ...each }));
  const made = new WeakMap<Offer, readonly AnyTool[]>();
  let last: readonly AnyTool[] = [];
  const toolsOf = (server: Server): readonly AnyTool[] => {
    const offer = server.offer();
    const tools = made.get(offer) ?? offer.tools.map((each) => createTool(each, server));
    made.set(offer, tools);
    return tools;
  };
  const known = (): readonly AnyTool[] => {
    const tools = servers.flatMap(toolsOf).slice(0, MAX_TOOLS);
    if (tools.length !== last.length || tools.some((tool, at) => tool !== last[at])) last = Object.freeze(tools);
    return last;
  };
  return Object.freeze({
    async forRole(role: BaseRole, { signal, wait }: Waiting) {
      const wanted = servers.filter((server) => server.config.roles.includes(role));
      const told = setTimeout(() => {
        for (const each of waitTexts(wanted)) wait(each);
      }, WAIT_TOLD_MS);
      await Promise.all(wanted.map((server) => server.ready(signal)));
      clearTimeout(told);
      const over = servers.flatMap(toolsOf).length - known().length;
      const tooMany =
        over > 0
          ? [
              `The MCP servers offer ${over + MAX_TOOLS} tools; the last ${over} are left out. Choose with enabled_tools.`,
            ]
          : [];
      return { tools: known(), notices: signal.aborted ? [] : [...wanted.flatMap(noticesOf), ...tooMany] };
    },
    known,
    async rows(signal: AbortSignal) {
      await Promise.all(servers.map((server) => server.ready(signal, true)));
      return all.map((each) =>
        rowOf(
          each,
          servers.find(({ name }) => name === each.name),
        ),
      );
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  });
}

function waitTexts(servers: readonly Server[]): readonly string[] {
  const late = servers.filter((server) => server.standing().status === "starting");
  if (late.length === 0) return [];
  const seconds = Math.max(...late.map(({ config }) => config.start_timeout_s));
  const names = late.map(({ name }) => name).join(", ");
  return [`Waiting for the MCP ${late.length === 1 ? "server" : "servers"} ${names} to start, ${seconds} s at most.`];
}

function noticesOf(server: Server): readonly string[] {
  const { name } = server;
  const { status, error } = server.standing();
  const { left_out } = server.offer();
  const missing = left_out.map(({ tool, why }) => `${tool} (${why})`);
  return [
    ...(error === null ? [] : [`${error} Its tools are missing; smith mcp list tries again.`]),
    ...(status === "starting" ? [`The MCP server ${name} is still starting: its tools come with a later turn.`] : []),
    ...(missing.length === 0 ? [] : [`Left out of the tools of the MCP server ${name}: ${listed(missing)}.`]),
  ];
}

const listed = (all: readonly string[]): string =>
  all.length <= 3 ? all.join(", ") : `${all.slice(0, 3).join(", ")} and ${all.length - 3} more (smith mcp list)`;

function rowOf({ name, config }: Pick<Server, "name" | "config">, server: Server | undefined): McpRow {
  const standing = server?.standing() ?? { status: "off" as const, error: null };
  const offer = server?.offer() ?? { tools: [], left_out: [] };
  return {
    ...{
      name,
      transport: "url" in config ? "http" : "stdio",
      from: shownAddress(config),
      server: server?.title() ?? "",
    },
    ...{ roles: config.roles, ...standing },
    tools: offer.tools.map((each) => ({ name: each.name, tool: each.tool, side_effects: each.side_effects })),
    left_out: offer.left_out,
  };
}

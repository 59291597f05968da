import { type Config, OUTSIDE_ROLES } from "@smith/contract/config";
import type { AnyTool } from "@smith/contract/tool";
import { createToolRegistry, type ToolRegistry } from "@smith/engine";
import type { CommandGround, FetchBackend, SearchBackend } from "@smith/tools";
import type { Settings } from "./config/settings.ts";
import { createKeptOutputs } from "./kept-outputs.ts";
import { createMcpServers, type ToolNeed } from "./mcp.ts";
import type { Ground, Services, ServiceTable } from "./services.ts";

/** What a door has of a tool: the tool, one that can do less, or null. */
type Narrow = (tool: AnyTool) => AnyTool | null;

const backendOf = <Backend>(options: ServiceTable, name: string): Backend | undefined =>
  typeof options[name] === "function" ? (options[name] as Backend) : undefined;

/** The first of a name has it: a tool of ours, then a plugin's, then a server's. Two of ours are a fault that registering tells. */
const withoutTwins = (ours: readonly AnyTool[], theirs: readonly AnyTool[]): readonly AnyTool[] => {
  const taken = new Set(ours.map(({ name }) => name));
  const left = theirs.filter(({ name }) => !taken.has(name) && taken.add(name));
  return [...ours, ...left];
};

/**
 * `search` and `fetch` in the service's options are what the web tools reach out with instead of the network. `narrow` is
 * given each tool that would be registered and returns what this door has of it, or null.
 */
export function toolService(
  options: ServiceTable,
  settings: Settings,
  { env, delegation, foreign, store, receiptsOf, cwd, ...rest }: Ground,
): Services["tool"] {
  const given = rest.tools.map((tool) => ({ role_allowlist: OUTSIDE_ROLES, ...tool }));
  const narrow = typeof options["narrow"] === "function" ? (options["narrow"] as Narrow) : (tool: AnyTool) => tool;
  // Of the session: what runs in the background outlives a change of the configuration.
  let ground: CommandGround | null = null;
  const commands = async (): Promise<CommandGround> => {
    const { createCommandGround } = await import("@smith/tools");
    ground ??= createCommandGround();
    return ground;
  };
  let made: { readonly from: string; readonly theirs: readonly AnyTool[]; readonly registry: ToolRegistry } | null =
    null;
  const mcp = createMcpServers({
    ...{ config: settings.effective, env, cwd },
    scrub: () => scrubbedNames(settings.effective()),
    open: async (command) => (await commands()).processes.open(command),
  });
  return Object.freeze({
    async registry(need?: ToolNeed) {
      const theirs = need === undefined ? mcp.known() : await mcp.forRole(need);
      const config = settings.effective();
      const from = JSON.stringify(config.services.tool);
      if (made?.from === from && made.theirs === theirs) return made.registry;
      const { createBuiltinTools, createMemoryTools } = await import("@smith/tools");
      const { confine, bash, web, web_search } = config.services.tool;
      const outputs = createKeptOutputs(store, receiptsOf);
      const tools = createBuiltinTools(
        {
          confine,
          bash_timeout_s: bash.timeout_s,
          scrub_env: scrubbedNames(config),
          secret_env: keyNames(config),
          env: { ...env },
          outputs,
          web: {
            allow_private: web.allow_private,
            search_config: web_search,
            search: backendOf<SearchBackend>(options, "search"),
            fetch: backendOf<FetchBackend>(options, "fetch"),
          },
        },
        await commands(),
      );
      const ours = [...tools.tools, ...createMemoryTools(store, undefined, outputs), ...delegation(), ...given];
      const all = withoutTwins(ours, [...(await foreign()), ...theirs]);
      made = { from, theirs, registry: createToolRegistry(all.flatMap((each) => narrow(each) ?? [])) };
      return made.registry;
    },
    async dispose() {
      await mcp.close();
      await ground?.processes.dispose();
    },
    mcp: mcp.rows,
    background: () => ground?.background.list() ?? [],
  });
}

const KEY_NAMES = ["LLM_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "LINKUP_API_KEY"];
const TOKEN_NAMES = ["SMITH_TELEGRAM_TOKEN", "SMITH_DISCORD_TOKEN", "SMITH_TWITCH_TOKEN", "SMITH_GATEWAY_TOKEN"];

/** Those that children don't get. */
const scrubbedNames = (config: Config): readonly string[] =>
  keyNames(config).filter((name) => !config.services.tool.env_pass.includes(name));

/** Variables that hold keys of ours: children don't get them, save those the user passes on. */
function keyNames({ llm_config, providers, services }: Config): readonly string[] {
  const search = services.tool.web_search.api_key_env ?? [];
  const configured = [llm_config.api_key_env, ...providers.flatMap((provider) => provider.api_key_env ?? [])];
  return [...new Set([...KEY_NAMES, ...TOKEN_NAMES, ...configured].concat(search))];
}

import type { BackgroundRow, McpRow } from "@smith/contract/command";
import { type Config, type Mode, OUTSIDE_ROLES } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import type { Receipt } from "@smith/contract/receipt";
import type { Store } from "@smith/contract/store";
import type { AnyTool, ToolContext } from "@smith/contract/tool";
import type { Notice } from "@smith/contract/turn";
import {
  assemblePrompt,
  createToolRegistry,
  type MemoryEntry,
  type ModelTable,
  memoryBlock,
  modeBlock,
  projectBlock,
  type RoleSpec,
  type Roles,
  type RoleTools,
  roleFrame,
  type SkillFolder,
  skillsBlock,
  type ToolRegistry,
} from "@smith/engine";
import type { CommandGround, FetchBackend, SearchBackend } from "@smith/tools";
import type { Catalog } from "./catalog.ts";
import type { Settings } from "./config/settings.ts";
import { connectModel } from "./connect.ts";
import { type ConversationService, createConversationService } from "./conversation.ts";
import { hashFile } from "./hash.ts";
import { createKeptOutputs } from "./kept-outputs.ts";
import { createMcpServers, type ToolNeed } from "./mcp.ts";
import { chooseModel, type ModelChoice } from "./models.ts";
import { ownModel } from "./own-model.ts";
import type { Scope } from "./scope.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The ten services of a runtime. */
export interface Services {
  readonly role: Roles;
  readonly model: {
    /** `override`: the flag's model; for a role that does not answer the user it is only the default. */
    select(role: RoleSpec, override: string | null): Promise<ModelChoice>;
    /** One client per endpoint: connections and serialised messages are shared. */
    connect(choice: ModelChoice): Promise<ChatModel>;
    /** Ends the connections that the clients keep; absent: there are none. */
    close?(): Promise<void>;
  };
  /**
   * The registry as the configuration has it now; it changes between turns only. `need`: who is about to be offered its
   * tools; the MCP servers of that role are started then.
   */
  readonly tool: {
    registry(need?: ToolNeed): Promise<ToolRegistry>;
    dispose(): Promise<void>;
    /** The commands that bash runs in the background; absent: it can't. */
    background?(): readonly BackgroundRow[];
    /** Every MCP server, after it was started. */
    mcp?(signal: AbortSignal): Promise<readonly McpRow[]>;
  };
  /** Whether a role may hand a job to another. */
  readonly dispatch: { allows(role: string, target: string): boolean };
  readonly conversation: ConversationService;
  readonly persistence: Store;
  readonly config: Settings;
  /** What the door shows beside events; silent without a door. */
  readonly ui: { notify(notice: Notice): void };
  readonly prompt: { build(role: RoleSpec, tools: RoleTools, place: PromptPlace): string };
  readonly command: { run(name: string, rest: string): Promise<unknown> };
}

/** What a prompt speaks of beside the role. */
export interface PromptPlace {
  readonly scope: Scope;
  /** What the project remembers; roles that can't read it are given none. */
  readonly memories: readonly MemoryEntry[];
  /** What the user has written for particular work; none for roles that can't read it. */
  readonly skills: readonly SkillFolder[];
  /** The session's ceiling. */
  readonly mode: Mode;
}

export type ServiceName = keyof Services;

export const SERVICE_NAMES: readonly ServiceName[] = Object.freeze([
  "role",
  "model",
  "tool",
  "dispatch",
  "conversation",
  "persistence",
  "config",
  "ui",
  "prompt",
  "command",
]);

/** Both override hooks of the composition; the API alone has them, no file can. */
export interface ServiceOverrides {
  /** Pre-built handles; each replaces the service of its name. */
  readonly service_handles?: Partial<Services>;
  /** A table of options per service; wins over one at the top level. */
  readonly services?: Readonly<Partial<Record<ServiceName, ServiceTable>>>;
}

export type ServiceTable = Readonly<Record<string, unknown>>;

/** What the composition needs that is not a service. */
export interface Ground {
  readonly env: Env;
  readonly settings: Settings;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly packages_dir: string | null;
  newId(): string;
  cwd(): string;
  runCommand(name: string, rest: string): Promise<unknown>;
  /** The model of who made the runtime; null: the configuration says which. */
  readonly chat_model: ChatModel | null;
  /** Tools of who made the runtime, registered beside the built-in ones. */
  readonly tools: readonly AnyTool[];
  /** Tools that need the whole runtime: they hand out jobs. */
  delegation(): readonly AnyTool[];
  /** Tools from outside that are registered last; what is taken by then is left out. */
  foreign(): Promise<readonly AnyTool[]>;
  /** The receipts of the turn that a call belongs to; null when it does not run here. */
  receiptsOf(context: ToolContext): readonly Receipt[] | null;
}

/** The options of one service: `services[name]`, else the table of that name at the top level, else none. */
export function serviceOptions(
  overrides: ServiceOverrides & Readonly<Record<string, unknown>>,
  name: ServiceName,
): ServiceTable {
  const top = overrides[name];
  return overrides.services?.[name] ?? (typeof top === "object" && top !== null ? (top as ServiceTable) : {});
}

/** Makes the ten services by name and freezes their handles. This is the only place where they meet. */
export function composeServices(
  overrides: ServiceOverrides & Readonly<Record<string, unknown>>,
  ground: Ground,
): Services {
  const given = overrides.service_handles ?? {};
  const options = (name: ServiceName) => serviceOptions(overrides, name);
  const config = given.config ?? ground.settings;
  const persistence = given.persistence ?? ground.store;
  const role = given.role ?? config.roles;
  return Object.freeze({
    role,
    model:
      given.model ??
      (ground.chat_model === null
        ? modelService(options("model"), { ...ground, config })
        : ownModel(ground.chat_model, config)),
    tool: given.tool ?? toolService(options("tool"), config, { ...ground, store: persistence }),
    dispatch: given.dispatch ?? Object.freeze({ allows: role.mayDispatch }),
    conversation: given.conversation ?? conversationService(persistence, { ...ground, roles: role }),
    persistence,
    config,
    ui: given.ui ?? Object.freeze({ notify: () => {} }),
    prompt: given.prompt ?? promptService(options("prompt")),
    command: given.command ?? Object.freeze({ run: ground.runCommand }),
  });
}

/** @param max_messages that are sent and kept in memory; absent: all. */
export const conversationService = (
  store: Store,
  { newId, cwd, roles }: Pick<Ground, "newId" | "cwd"> & { readonly roles: Roles },
  max_messages?: number,
): ConversationService =>
  createConversationService({
    ...{ store, newId },
    ...(max_messages === undefined ? {} : { max_messages }),
    recover: async (id) => (await import("./recovery.ts")).recover(id, { store, cwd, hashFile, roles }),
  });

interface ModelGround extends Pick<Ground, "env" | "catalog" | "packages_dir"> {
  readonly config: Settings;
}

function modelService(options: ServiceTable, { env, config, catalog, packages_dir }: ModelGround): Services["model"] {
  const clients = new Map<string, Promise<ChatModel>>();
  return Object.freeze({
    select: (role: RoleSpec, override: string | null) =>
      chooseModel({
        ...{ role, options: options as ModelTable, config: config.effective(), env },
        override: role.user_facing ? override : null,
        child_default: role.user_facing ? null : override,
      }),
    connect(choice: ModelChoice) {
      const key = JSON.stringify([choice.endpoints, config.effective().llm_config]);
      const client =
        clients.get(key) ?? connectModel(choice, { config: config.effective(), env, catalog, packages_dir });
      clients.set(key, client);
      client.catch(() => clients.delete(key)); // a missing key may be there the next time
      return client;
    },
    async close() {
      for (const client of await Promise.allSettled(clients.values())) {
        if (client.status === "fulfilled") client.value.close?.();
      }
    },
  });
}

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
function toolService(
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

/**
 * `frame` in the service's options replaces the role frame, and `block` is one more at the end for roles that answer the
 * user; the other blocks stay.
 */
function promptService(options: ServiceTable): Services["prompt"] {
  const own = textOption(options, "frame");
  const block = textOption(options, "block") ?? "";
  return Object.freeze({
    build(role: RoleSpec, tools: RoleTools, { scope, memories, skills, mode }: PromptPlace) {
      const { cwd, project, index } = scope;
      const frame = own ?? roleFrame(role, tools.names);
      const { root, origin, normalized, project_id } = project;
      const place = projectBlock({ cwd, root, origin, normalized, project_id, index });
      return assemblePrompt([
        frame,
        modeBlock(mode, role),
        place,
        memoryBlock(project_id, memories),
        skillsBlock(skills),
        role.user_facing ? block : "",
      ]);
    },
  });
}

function textOption(options: ServiceTable, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || typeof value === "string") return value;
  const message = `prompt.${name}: expected a text.`;
  throw new AgentError({ kind: "schema", code: "config", origin: "runtime/compose", message });
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

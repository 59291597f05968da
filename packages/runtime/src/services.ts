import type { Mode } from "@smith/contract/config";
import type { BackgroundRow } from "@smith/contract/job";
import type { McpRow } from "@smith/contract/mcp";
import type { ChatModel } from "@smith/contract/model";
import type { Receipt } from "@smith/contract/receipt";
import type { Store } from "@smith/contract/store";
import type { AnyTool, ToolContext } from "@smith/contract/tool";
import type { Notice } from "@smith/contract/turn";
import type { MemoryEntry, RoleSpec, Roles, RoleTools, SkillFolder, ToolRegistry } from "@smith/engine";
import type { Catalog } from "./catalog.ts";
import type { Settings } from "./config/settings.ts";
import type { ConversationService } from "./conversation.ts";
import type { ToolNeed } from "./mcp.ts";
import type { ModelChoice } from "./models.ts";
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

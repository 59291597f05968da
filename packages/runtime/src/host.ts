import type { ModelsHost } from "@smith/contract/catalog";
import type { CommandHost } from "@smith/contract/command";
import { MODES, type Mode } from "@smith/contract/config";
import type { DoctorHost } from "@smith/contract/doctor";
import { AgentError } from "@smith/contract/error";
import type { InspectHost } from "@smith/contract/inspect";
import type { JobsHost } from "@smith/contract/job";
import type { McpHost } from "@smith/contract/mcp";
import type { MemoryHost } from "@smith/contract/memory";
import type { PluginsHost } from "@smith/contract/plugin";
import type { PolicyHost } from "@smith/contract/policy";
import type { SessionHost, SessionsHost } from "@smith/contract/session";
import type { UndoHost } from "@smith/contract/undo";
import type { UsageHost } from "@smith/contract/usage";
import type { UserCommandsHost } from "@smith/contract/user-command";
import {
  decide,
  hasEffects,
  matrixTools,
  type PolicyOptions,
  type RoleSpec,
  type Roles,
  type ToolRegistry,
} from "@smith/engine";
import { overrideLayer } from "./config/overrides.ts";
import type { Settings } from "./config/settings.ts";
import type { ModelChoice } from "./models.ts";

/** What the commands of a session may read and change. */
export interface HostParts {
  readonly settings: Settings;
  readonly roles: Roles;
  /** Of the working directory as it is now. */
  projectId(): string;
  root(): string | null;
  registry(): Promise<ToolRegistry>;
  readonly jobs: JobsHost;
  files(): Promise<readonly string[]>;
  role(): string;
  model(): ModelChoice | null;
  choose(): Promise<ModelChoice>;
  /** Chooses again when the model changed; throws when it can't be. */
  useModel(model: string): Promise<void>;
  /** Where the next turn goes. */
  readonly place: Pick<SessionHost, "startAfresh" | "conversation" | "resume" | "clear" | "last">;
  readonly undo: UndoHost;
  readonly inspect: InspectHost;
  readonly context: Pick<SessionHost, "context" | "compact" | "prompt">;
  readonly write: SessionHost["write"];
  readonly userCommands: UserCommandsHost;
  readonly sessions: SessionsHost;
  readonly memory: MemoryHost;
  readonly usage: UsageHost;
  readonly models: ModelsHost;
  readonly doctor: DoctorHost;
  readonly mcp: McpHost;
  readonly plugins: PluginsHost;
}

export function createHost(parts: HostParts): CommandHost {
  const { settings } = parts;
  return Object.freeze({
    config: settings,
    session: Object.freeze({
      project: parts.projectId,
      root: parts.root,
      files: parts.files,
      role: parts.role,
      mode: () => settings.effective().mode,
      model() {
        const choice = parts.model();
        return choice && shownChoice(choice);
      },
      choose: async () => shownChoice(await parts.choose()),
      async use({ role, mode, model, effort }: { role?: string; mode?: string; model?: string; effort?: string }) {
        if (effort !== undefined) settings.overlay(overrideLayer([`effort=${effort}`]));
        if (role !== undefined) settings.overlay({ active_role: userRole(role, parts.roles) });
        if (mode !== undefined) settings.overlay({ mode: knownMode(mode) });
        if (model !== undefined) await parts.useModel(model);
      },
      ...parts.place,
      ...parts.context,
      ...parts.undo,
      write: parts.write,
    }),
    policy: createPolicyHost(parts),
    jobs: Object.freeze({ list: parts.jobs.list, background: parts.jobs.background }),
    ...{ memory: parts.memory, inspect: parts.inspect },
    ...{ sessions: parts.sessions, usage: parts.usage, models: parts.models, doctor: parts.doctor },
    mcp: parts.mcp,
    plugins: parts.plugins,
    user_commands: parts.userCommands,
  });
}

/** Its endpoints hold keys: they are no business of who asks. */
const shownChoice = ({ model, provider, source }: ModelChoice) => ({ model, provider, source });

function userRole(name: string, { list, resolve }: Roles): string {
  if (resolve(name).user_facing) return name;
  const those = list().filter((role) => role.user_facing);
  throw refused(`${name} only runs as a job. Roles for you: ${those.map((role) => role.name).join(", ")}.`);
}

function knownMode(name: string): Mode {
  const mode = MODES.find((each) => each === name);
  if (mode !== undefined) return mode;
  throw refused(`There is no mode ${JSON.stringify(name)}. The modes are: ${MODES.join(", ")}.`);
}

const refused = (message: string): AgentError =>
  new AgentError({ kind: "policy", code: "refused", origin: "runtime/host", message });

function createPolicyHost({ settings, registry, roles }: HostParts): PolicyHost {
  const policy = () => policyOf(settings);
  return Object.freeze({
    roles: () =>
      roles.list().map(({ name, base, user_facing, custom }) => {
        return { name, base, user_facing, description: custom?.description ?? null, source: custom?.source ?? null };
      }),
    async tools(role: string) {
      const who = roles.resolve(role);
      return (await registry()).list().map((tool) => {
        const { decision, rule } = decide(who, tool.name, policy(), tool);
        return { name: tool.name, side_effects: tool.side_effects, allowed: decision !== "deny", rule };
      });
    },
    async explain(role: string, tool: string) {
      const who = roles.resolve(role);
      return { role, tool, ...decide(who, tool, policy(), (await registry()).get(tool)) };
    },
    // The matrix under a mode, and nothing else: what this configuration switches off stands in `tools` and `explain`.
    async table(mode: Mode) {
      const tools = await registry();
      const names = [...new Set([...matrixTools(), ...tools.list().map(({ name }) => name)])];
      const judge = (role: RoleSpec, name: string) =>
        decide(role, name, { mode, enabled: "all", extra: matrixTools() }, tools.get(name)).decision;
      return names.map((tool) => ({
        tool,
        side_effects: hasEffects(tool, tools.get(tool)) ? ("some" as const) : ("none" as const),
        roles: Object.fromEntries(roles.list().map((role) => [role.name, judge(role, tool)])),
      }));
    },
  });
}

/** The policy of the effective configuration. */
export function policyOf(settings: Settings): PolicyOptions {
  const { mode, services } = settings.effective();
  return { mode, enabled: services.tool.enabled, extra: services.tool.extra };
}

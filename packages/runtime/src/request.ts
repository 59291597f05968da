import type { Config } from "@smith/contract/config";
import type { FramingOptions, MemoryEntry, RoleTools, TurnRequest } from "@smith/engine";
import { type FramingPlace, openFraming } from "./framing.ts";
import type { ToolNeed } from "./mcp.ts";
import type { SeatSpec } from "./seat.ts";
import type { Skills } from "./skills.ts";
import type { TurnWorld } from "./world.ts";

/** Of a turn, what its requests are made of. */
export type RequestSpec = Pick<
  SeatSpec,
  "role" | "mode" | "config" | "conversation_id" | "history" | "first_seq" | "scope"
> & {
  /** Null: no model is chosen; then the window stands as the last one left it. */
  readonly choice: SeatSpec["choice"] | null;
};

export interface Prepared {
  readonly tools: RoleTools;
  readonly system_prompt: string;
  readonly framing: FramingOptions;
  readonly sampling: TurnRequest["sampling"];
  readonly place: FramingPlace;
}

/** Of a model that nobody knows. */
const FALLBACK_WINDOW = 128_000;

/**
 * What each request of a conversation begins with, and how it is fitted.
 * @param turn that is about to run; absent: none is, and no tool's server is started for it.
 */
export async function prepareRequest(
  spec: RequestSpec,
  world: TurnWorld,
  turn?: Omit<ToolNeed, "role">,
): Promise<Prepared> {
  const { role, mode, config, scope, choice } = spec;
  const { services } = world;
  const { enabled, extra } = config.services.tool;
  const isWanted = namesMcp(enabled === "all" ? null : enabled) && namesMcp(role.custom?.tools ?? null);
  const need = turn !== undefined && isWanted ? { ...turn, role: role.base } : undefined;
  const tools = (await services.tool.registry(need)).forRole(role, { mode, enabled, extra });
  const memories = tools.names.includes("note") ? await recallAll(scope.project.project_id, world) : [];
  const place: FramingPlace = {
    conversation_id: spec.conversation_id,
    model: choice?.model ?? null,
    role: role.name,
    context_window: choice?.context_window ?? FALLBACK_WINDOW,
    recalls: tools.names.includes("recall"),
    first_seq: spec.first_seq,
    messages: spec.history.length + 1,
    now: world.now(),
  };
  const framing = await openFraming(config, place, services.persistence.note);
  const skills = tools.names.includes("read") ? await world.skills(scope) : NO_SKILLS;
  turn?.warn(skills.warnings);
  const system_prompt = services.prompt.build(role, tools, { scope, memories, skills: skills.folders, mode });
  return { tools, system_prompt, framing, sampling: samplingOf(config), place };
}

const NO_SKILLS: Skills = { folders: [], warnings: [] };

/** A list that names no tool of an MCP server leaves all of them out: none is started for it. */
const namesMcp = (list: readonly string[] | null): boolean =>
  list === null || list.some((name) => name.startsWith("mcp__"));

/** The commands that bash runs in the background, a line each. */
export const openJobs = ({ services }: TurnWorld): readonly string[] =>
  (services.tool.background?.() ?? [])
    .filter(({ status }) => status === "running")
    .map(
      ({ name, command }) => `${name} (${command.length > 80 ? `${command.slice(0, 79).toWellFormed()}…` : command})`,
    );

/** A memory that can't be read costs the index, not the turn. */
const recallAll = (project_id: string, world: TurnWorld): Promise<readonly MemoryEntry[]> =>
  world.services.persistence.memory.list(project_id).catch(() => []);

const samplingOf = ({ temperature, max_tokens, effort }: Config) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(max_tokens === undefined ? {} : { max_tokens }),
  ...(effort === undefined ? {} : { effort }),
});

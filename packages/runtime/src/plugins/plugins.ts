import type { PluginRow } from "@smith/contract/plugin";
import type { AnyTool, ToolContext } from "@smith/contract/tool";
import { type Call, createContainer } from "./contained.ts";
import { createFault, lineOf } from "./fault.ts";
import { createTurnHooks, type HookPlace, type TurnHooks } from "./hooks.ts";
import { type EntryOutcome, type LoadOptions, loadEntries, type PluginEntry } from "./load.ts";
import { HOOK_NAMES, type PluginError } from "./plugin.ts";
import { createSayings } from "./sayings.ts";
import { toolOf } from "./tool.ts";

/** The plugins of a session. */
export interface Plugins {
  /** A row for each entry of the configuration, loaded or not. */
  readonly rows: readonly PluginRow[];
  /** None of them has the name of a built-in one, or of another. */
  readonly tools: readonly AnyTool[];
  readonly errors: readonly PluginError[];
  /** Why those are not there that nothing may run without. */
  readonly unmet: readonly PluginError[];
  /** What they printed or threw outside of a call since it was asked last, a line each. */
  takeSaid(): readonly string[];
  hooksFor(place: HookPlace): TurnHooks | null;
  /** Lets the process be as it was; their code stays loaded. */
  dispose(): void;
}

export interface PluginsOptions extends Pick<LoadOptions, "bases" | "data_dir"> {
  readonly entries: readonly PluginEntry[];
  readonly session: PluginSession;
}

/** What the session lends to its plugins. */
export interface PluginSession {
  readonly env: NodeJS.ProcessEnv;
  /** Whether a tool of Smith's own has this name. */
  isBuiltIn(tool: string): boolean;
  /** Tells the user what code of a plugin did, while a call of that turn runs. */
  tell(at: ToolContext, level: "info" | "warn", text: string): void;
}

/** Loads the plugins. Nothing is thrown: what can't be had is told. */
export async function openPlugins({ entries, session, ...options }: PluginsOptions): Promise<Plugins> {
  const container = createContainer();
  const sayings = createSayings();
  const call = (entry: string, at?: ToolContext): Call => {
    const say = (level: "info" | "warn", text: string) =>
      at === undefined ? sayings.add(text) : session.tell(at, level, text);
    return {
      print: (line) => say("info", `${entry}: ${line}`),
      fault: (thrown) => say("warn", `${entry} threw, where nothing caught it: ${lineOf(thrown)}`),
    };
  };
  const outcomes = await loadEntries(entries, { ...options, env: session.env, container, call });
  const contain: Contain = (entry, work, at) => container.run(call(entry, at), work);
  const brought = bringTools(outcomes, { contain, isBuiltIn: session.isBuiltIn });
  const plugins = outcomes.flatMap(({ loaded }) => loaded ?? []);
  return Object.freeze<Plugins>({
    rows: brought.map(rowOf),
    tools: brought.flatMap(({ tools }) => tools),
    errors: brought.flatMap((each) => each.errors),
    unmet: outcomes.flatMap(({ required, errors }) => (required ? errors : [])),
    takeSaid: sayings.take,
    hooksFor: (place) => createTurnHooks(plugins, place, container),
    dispose: container.dispose,
  });
}

interface Brought extends EntryOutcome {
  readonly tools: readonly AnyTool[];
}

type Contain = <T>(entry: string, work: () => T, at?: ToolContext) => T;

/** The first of a name has it; Smith's own come first. */
function bringTools(
  outcomes: readonly EntryOutcome[],
  { contain, isBuiltIn }: Pick<PluginSession, "isBuiltIn"> & { readonly contain: Contain },
): readonly Brought[] {
  const names = new Set<string>();
  return outcomes.map((outcome): Brought => {
    const { entry, roles, loaded } = outcome;
    const tools: AnyTool[] = [];
    const errors: PluginError[] = [...outcome.errors];
    for (const [at, given] of (loaded?.plugin.tools ?? []).entries()) {
      const made = toolOf(given, roles, (work, at) => contain(entry, work, at));
      if (typeof made === "string") {
        errors.push(createFault("bad_tool", entry, `tools[${at}] is left out: ${made}`).data);
      } else if (names.has(made.name) || isBuiltIn(made.name)) {
        errors.push(createFault("duplicate_tool", made.name, `the one of ${entry} is left out`).data);
      } else {
        names.add(made.name);
        tools.push(made);
      }
    }
    return { ...outcome, tools, errors };
  });
}

function rowOf({ entry, roles, loaded, tools, errors }: Brought): PluginRow {
  const { name = null, version = null, hooks = {} } = loaded?.plugin ?? {};
  return {
    ...{ entry, name, version, file: loaded?.file ?? null, roles },
    tools: tools.map((tool) => tool.name),
    hooks: HOOK_NAMES.filter((hook) => hooks[hook] !== undefined),
    errors: errors.map(({ message }) => message),
  };
}

import { dirname, join } from "node:path";
import type { CommandHost } from "@smith/contract/command";
import type { ConfigInput } from "@smith/contract/config";
import type { Confirm } from "@smith/contract/confirm";
import type { Check } from "@smith/contract/doctor";
import type { ChatModel } from "@smith/contract/model";
import type { AnyTool } from "@smith/contract/tool";
import type { Notice } from "@smith/contract/turn";
import { createSlots, hasRow } from "@smith/engine";
import { createCatalog } from "./catalog.ts";
import { createChooser } from "./chooser.ts";
import { composeServices } from "./compose.ts";
import type { Layer } from "./config/merge.ts";
import type { SettingsSources } from "./config/settings.ts";
import { createContextHost, type Exclusive } from "./context-host.ts";
import { newConversationId } from "./conversation.ts";
import type { Endpoint } from "./endpoints.ts";
import { hashFile } from "./hash.ts";
import { createHost } from "./host.ts";
import { createPictures, type TurnInput } from "./input.ts";
import { createJobBoard } from "./job-board.ts";
import { createDelegationTools, createJobRunner } from "./jobs.ts";
import { lazyInspect, lazyUndo } from "./lazy-hosts.ts";
import { createMemoryHost } from "./memory-host.ts";
import type { Mirror } from "./mirror.ts";
import { equipped } from "./models.ts";
import { createModelsHost } from "./models-host.ts";
import { openGround, unsavedWhy } from "./open-ground.ts";
import { lazyPlugins, pluginWarnings } from "./plugins/public.ts";
import { createProjects, findRoot } from "./project.ts";
import { createQuestions } from "./questions.ts";
import { createRefresher } from "./refresher.ts";
import { createPlaceHost, tellRecovered } from "./resume.ts";
import type { ServiceOverrides, Services } from "./services.ts";
import { createSessions } from "./sessions-host.ts";
import { findSkills } from "./skills.ts";
import { createTreeWatch } from "./tree/watch.ts";
import { seatKey, type TurnWorld } from "./world.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How a runtime is set up. Everything is optional: by default no file is read and nothing is kept. */
export interface RuntimeOptions extends ServiceOverrides {
  /** Working directory; a function is asked anew for each turn. Default: the process's. */
  readonly cwd?: string | (() => string);
  /** Where keys and the settings of the environment are read; default: the process's. Tools hand it on, keys taken out. */
  readonly env?: Env;
  /** As docs/CONFIG.md has it; above every file and whatever `/config set` saved. */
  readonly config?: ConfigInput | Layer;
  /** Below every file: what this door has as defaults of its own. */
  readonly defaults?: Layer;
  /** The user's configuration file; null (default): none, and no project file either. */
  readonly user_file?: string | null;
  /** The user's file must exist. */
  readonly must_exist?: boolean;
  /** Absolute path of the database; null (default) keeps everything in memory. */
  readonly database?: string | null;
  /** Wins over every configured model. */
  readonly model?: string;
  /** Answers every request, in place of every configured provider, with the retries of the configuration. */
  readonly chat_model?: ChatModel;
  /** Puts into a typed line what it refers to, as files; default: lines are taken as they are. */
  expand?(line: string): Promise<TurnInput>;
  /** Where the user's own commands and roles are, in `commands/` and `roles/`; default: the folder of `user_file`. */
  readonly user_folder?: string;
  /**
   * Asks the user about a call with side effects, in mode `ask`; one at a time, those of jobs too. Absent: nobody can be
   * asked, and such calls are refused. An answer that is none, or a rejection, refuses the call.
   */
  readonly confirm?: Confirm;
  /**
   * Tools of yours, beside the built-in ones; see `defineTool`. Two of one name, or one of a built-in's, end the start with
   * `policy`/`duplicate_tool`.
   */
  readonly tools?: readonly AnyTool[];
  /** Milliseconds since the epoch; default: `Date.now`. */
  now?(): number;
  /** Ids of new conversations: without `:`. Default: ten random characters. */
  newId?(): string;
  /** Top-level service tables, as `model: { default_model: … }`. */
  readonly [service: string]: unknown;
}

/** Everything that exists once the runtime has started. */
export interface Started {
  readonly services: Services;
  readonly host: CommandHost;
  /** What opening had to say. */
  readonly notices: readonly Notice[];
}

export type Opened = Started & {
  readonly world: TurnWorld;
  /** Ends what waits to ask for lists of models. */
  stopAsking(): void;
};

/** What the runtime has already. */
interface OpenParts extends Pick<TurnWorld, "now" | "bus" | "session_id" | "usage"> {
  readonly exclusive: Exclusive;
  diagnose(): Promise<readonly Check[]>;
}

/** Reads the configuration, opens the store, composes the services: everything a turn needs. */
export async function openRuntime(options: RuntimeOptions, { exclusive, ...parts }: OpenParts): Promise<Opened> {
  const cwd = cwdOf(options);
  const env = options.env ?? process.env;
  const sources = sourcesOf(options, cwd());
  const { settings, ...opened } = await openGround(sources, options.service_handles?.persistence, parts.now);
  const catalog = createCatalog({
    ...{ store: opened.store.catalog, env, now: parts.now },
    prices: () => settings.effective().prices,
  });
  const services = composeServices(options, {
    ...{ env, catalog, packages_dir: sources.user_file === null ? null : dirname(sources.user_file) },
    settings,
    store: opened.store,
    tools: options.tools ?? [],
    chat_model: options.chat_model ?? null,
    newId: options.newId ?? newConversationId,
    cwd,
    delegation: () =>
      createDelegationTools(
        createJobRunner(() => world),
        () => world,
        services.role,
      ),
    foreign: async () => (await plugins.open())?.tools ?? [],
    receiptsOf: (context) => world.seats.get(seatKey(context))?.receipts.list() ?? null,
    async runCommand(name, rest) {
      const { runSlash } = await import("@smith/commands");
      return runSlash(name, rest, host);
    },
  });
  const plugins = lazyPlugins(services.config, cwd, {
    env,
    isBuiltIn: hasRow,
    tell: (at, level, text) => world.seats.get(seatKey(at))?.emit({ type: "notice", level, text }),
  });
  const roleName = () => services.config.effective().active_role ?? "direct";
  const chooser = createChooser(services, options.model ?? null);
  const findProject = createProjects();
  const projectId = () => findProject(cwd()).project_id;
  const inUse = new Set<Endpoint>();
  const refresher = createRefresher(() => catalog.refresh([...inUse]));
  parts.bus.subscribe(refresher.onEvent);
  const jobs = createJobBoard(parts.now);
  parts.bus.subscribe(jobs.onEvent);
  const sessions = createSessions({
    ...{ store: services.persistence, conversation: services.conversation, projectId, now: parts.now },
    newId: options.newId ?? newConversationId,
    tell: (recovered) => tellRecovered(recovered, { bus: parts.bus }),
  });
  const mcpRows = async () => (await services.tool.mcp?.(new AbortController().signal)) ?? [];
  const host = createHost({
    jobs: { list: jobs.list, background: () => services.tool.background?.() ?? [] },
    async files() {
      const { filesBelow } = await import("@smith/tools");
      return filesBelow(cwd(), { ...env });
    },
    settings: services.config,
    roles: services.role,
    async registry() {
      await mcpRows(); // what their servers offer is told, too
      return services.tool.registry();
    },
    role: roleName,
    model: () => chooser.chosen(roleName()),
    choose: () => chooser.choose(roleName()),
    useModel: (model) => chooser.use(model, roleName()),
    projectId,
    root: () => findProject(cwd()).root,
    place: createPlaceHost(sessions.find, () => world),
    context: createContextHost(() => world, exclusive),
    undo: lazyUndo(() => world, exclusive),
    inspect: lazyInspect(() => world, exclusive),
    write: async (path, text) => (await import("./write-new.ts")).writeNew(path, text, cwd()),
    userCommands: Object.freeze({
      async list() {
        const { findCommand, readUserCommands } = await import("@smith/commands");
        const folder = sources.user_folder;
        const project = sources.user_file === null ? null : (findProject(cwd()).root ?? cwd());
        return readUserCommands(
          {
            user: folder === null ? null : join(folder, "commands"),
            project: project === null ? null : join(project, ".smith", "commands"),
          },
          (name) => findCommand(name, "slash") !== undefined,
        );
      },
    }),
    sessions: sessions.port,
    memory: createMemoryHost({
      ...{ store: services.persistence, projectId },
      conversation: services.conversation.current,
    }),
    usage: Object.freeze({
      session() {
        const choice = chooser.chosen(roleName());
        const [endpoint] = choice?.endpoints ?? [];
        const price = choice === null || endpoint === undefined ? null : catalog.find(endpoint, choice.model).price;
        const { usage } = parts;
        const [requests, model] = [usage.requests(), choice?.model ?? null];
        return { requests, usage: usage.total(), children: usage.children(), model, price };
      },
      list: ({ all, since }: { all: boolean; since: number }) =>
        services.persistence.usage.list({ project_id: all ? null : projectId(), since }),
      now: parts.now,
    }),
    models: createModelsHost({ catalog, env, config: () => services.config.effective(), now: parts.now }),
    mcp: Object.freeze({ list: mcpRows }),
    doctor: Object.freeze({ checks: () => parts.diagnose() }),
    plugins: Object.freeze({
      list: async () => (await plugins.open())?.rows ?? [],
      warnings: async () => pluginWarnings(await plugins.open(), world.untold),
      ready: plugins.ready,
    }),
  });
  const unsaved = unsavedWhy(sources.database, opened.persistent);
  const processes = createSlots(() => services.config.effective().services.dispatch.max_processes);
  const world: TurnWorld = {
    ...parts,
    cwd,
    services,
    processes,
    questions: createQuestions(options.confirm ?? null, parts.now),
    watch: createTreeWatch(hashFile),
    seats: new Map(),
    transcripts: new Map(),
    mirror: lazyMirror(parts.now),
    plugins,
    skills({ cwd, project }) {
      const { confine } = services.config.effective().services.tool;
      const user = confine === "all" ? null : sources.user_folder; // `read` would not get there
      const at = sources.user_file === null ? null : (project.root ?? cwd);
      return findSkills({
        user: user === null ? null : join(user, "skills"),
        project: at === null ? null : join(at, ".smith", "skills"),
      });
    },
    unsaved,
    untold: createUntold(),
    pictures: createPictures(services.persistence.blob),
    role: roleName,
    async choose(role) {
      const choice = await equipped(await chooser.choose(role), catalog);
      for (const endpoint of choice.endpoints) inUse.add(endpoint);
      return choice;
    },
    projectId,
    findProject,
  };
  const stopAsking = () => {
    refresher.close();
    catalog.close();
  };
  return { services, host, notices: [...opened.notices, ...settings.notices], world, stopAsking };
}

/** Where the next turn works. */
export const cwdOf = ({ cwd = process.cwd }: RuntimeOptions): (() => string) =>
  typeof cwd === "string" ? () => cwd : cwd;

export function sourcesOf(options: RuntimeOptions, cwd: string): SettingsSources {
  const user_file = options.user_file ?? null;
  return {
    user_file,
    user_folder: options.user_folder ?? (user_file === null ? null : dirname(user_file)),
    must_exist: options.must_exist ?? false,
    project_dir: user_file === null ? null : (findRoot(cwd) ?? cwd),
    defaults: options.defaults ?? {},
    ephemeral: options.config ?? {},
    database: options.database ?? null,
  };
}

function lazyMirror(now: () => number): TurnWorld["mirror"] {
  let mirror: Promise<Mirror> | null = null;
  return () => {
    mirror ??= import("./mirror.ts").then(({ createMirror }) => createMirror(now));
    return mirror;
  };
}

function createUntold(): TurnWorld["untold"] {
  const told = new Set<string>();
  return (sentences) => sentences.filter((each) => !told.has(each) && told.add(each));
}

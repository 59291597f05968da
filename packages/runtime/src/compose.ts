import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import type { Store } from "@smith/contract/store";
import {
  assemblePrompt,
  type ModelTable,
  memoryBlock,
  modeBlock,
  projectBlock,
  type RoleSpec,
  type Roles,
  type RoleTools,
  roleFrame,
  skillsBlock,
} from "@smith/engine";
import type { Settings } from "./config/settings.ts";
import { connectModel } from "./connect.ts";
import { type ConversationService, createConversationService } from "./conversation.ts";
import { hashFile } from "./hash.ts";
import { chooseModel, type ModelChoice } from "./models.ts";
import { ownModel } from "./own-model.ts";
import {
  type Ground,
  type PromptPlace,
  type ServiceName,
  type ServiceOverrides,
  type Services,
  type ServiceTable,
  serviceOptions,
} from "./services.ts";
import { toolService } from "./tool-service.ts";

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

import type { Cancel } from "@smith/contract/cancel";
import type { Config, Mode } from "@smith/contract/config";
import { deepFreeze } from "@smith/contract/freeze";
import type { Project } from "./project.ts";
import type { Services } from "./services.ts";

/** What every part of one turn may know; frozen all the way down before the turn begins. */
export interface ExecutionContext {
  readonly session_id: string;
  readonly turn_id: string | null;
  readonly active_role: string;
  readonly conversation_id: string;
  readonly mode: Mode;
  readonly cwd: string;
  /** With the text of its index file; null without one. */
  readonly project: Project & { readonly index: string | null };
  readonly project_id: string;
  readonly config_snapshot: Readonly<Config>;
  readonly service_handles: Services;
  readonly cancel: Cancel;
}

/** Freezes data and leaves handles working: a handle is frozen, not what it closes over. */
export const freezeContext = (context: ExecutionContext): ExecutionContext => deepFreeze({ ...context });

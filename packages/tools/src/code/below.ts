import type { ToolContext } from "@smith/contract/tool";
import { listFiles } from "./list.ts";
import { searchIn } from "./ripgrep.ts";
import { rulesFor } from "./rules.ts";
import { scopeOf } from "./scope.ts";

/** Seconds a listing may take; what was found by then is offered. */
const LIST_S = 2;

/** Paths below a folder that the ignore files let through, relative to it: what a user may name with `@`. */
export async function filesBelow(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(LIST_S * 1000);
  const context: ToolContext = {
    ...{ role: "direct", conversation_id: "", turn_id: "", call_id: "", project_id: "", job_id: null, mode: "full" },
    ...{ cwd, project_root: cwd, signal, isCancelled: () => signal.aborted },
  };
  const options = { confine: "off", env, search_s: LIST_S } as const;
  const scope = await scopeOf(".", context, options.confine);
  const { paths } = await listFiles(searchIn(scope, rulesFor(undefined, scope.shown), options, signal));
  return [...paths].sort();
}

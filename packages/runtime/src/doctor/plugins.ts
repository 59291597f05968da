import type { Check } from "@smith/contract/doctor";
import type { PluginRow } from "@smith/contract/plugin";
import { bad, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

/** Every plugin that is configured; none is no line. */
export async function plugins(patient: Patient): Promise<readonly Check[]> {
  const rows = await patient.plugins().catch(() => []); // what keeps a session from starting is told by the model's check
  return rows.map(checkOf);
}

function checkOf({ entry, name, tools, hooks, errors }: PluginRow): Check {
  if (errors.length > 0)
    return bad("plugins", errors.join("; "), `Do what the line says, or take ${entry} out of plugins.`);
  const count = (of: readonly string[], what: string) => `${of.length} ${what}${of.length === 1 ? "" : "s"}`;
  return good("plugins", `${name}: ${count(tools, "tool")}, ${count(hooks, "hook")}`);
}

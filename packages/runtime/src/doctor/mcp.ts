import type { Check } from "@smith/contract/doctor";
import type { McpRow } from "@smith/contract/mcp";
import { bad, fair, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

/** Every MCP server that is switched on; none is no line. */
export async function mcp(patient: Patient): Promise<readonly Check[]> {
  const rows = await patient.mcp().catch(() => []); // what keeps a session from starting is told by the model's check
  return rows.filter(({ status }) => status !== "off").map(checkOf);
}

function checkOf({ name, status, error, server, tools, left_out }: McpRow): Check {
  const off = `or switch it off: mcp_servers.${name}.enabled false.`;
  if (error !== null) return bad("mcp", error, `Do what the line says, ${off}`);
  if (status !== "ready")
    return fair(
      "mcp",
      `${name} is still starting`,
      `Look again; where it always takes long, raise mcp_servers.${name}.start_timeout_s.`,
    );
  const detail = `${name}: ${server}, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  if (left_out.length === 0) return good("mcp", detail);
  const [first] = left_out;
  return fair(
    "mcp",
    `${detail}; ${left_out.length} left out`,
    `${first?.tool}: ${first?.why}. smith mcp list names all.`,
  );
}

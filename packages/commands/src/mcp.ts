import type { McpRow } from "@smith/contract/mcp";
import { type Command, misuse, say } from "./command.ts";

/** `/mcp` and `smith mcp list`. */
export const mcp: Command = {
  name: "mcp",
  summary: "the MCP servers: started if need be, with their tools, or why there are none",
  usage: ["[list] [--json]"],
  example: "mcp list",
  doors: ["slash", "cli"],
  flags: [{ name: "json", description: "as JSON" }],
  complete: (words) => (words.length <= 1 ? ["list"] : []),
  async run({ words }, host) {
    const [verb = "list", ...rest] = words;
    if (verb !== "list" || rest.length > 0) return misuse(mcp);
    const rows = await host.mcp.list();
    if (rows.length === 0) return say("No MCP server is configured. docs/MCP.md shows how.", rows);
    return say(rows.flatMap(linesOf).join("\n"), rows);
  },
};

const MARK: Readonly<Record<McpRow["status"], string>> = {
  ready: "✓",
  starting: "…",
  failed: "✗",
  idle: "-",
  off: "-",
};

function linesOf(row: McpRow): readonly string[] {
  const server = row.server === "" ? "" : ` (${row.server})`;
  return [
    `${MARK[row.status]} ${row.name}  ${row.status}${server}  ${row.transport}: ${row.from}  for ${row.roles.join(", ") || "nobody"}`,
    ...(row.error === null ? [] : [`    ${row.error}`]),
    ...row.tools.map(({ name, side_effects }) => `    ${name}${side_effects === "none" ? "  (reads only)" : ""}`),
    ...row.left_out.map(({ tool, why }) => `    left out: ${tool}: ${why}`),
  ];
}

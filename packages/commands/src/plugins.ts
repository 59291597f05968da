import type { PluginRow } from "@smith/contract/plugin";
import { type Command, misuse, say } from "./command.ts";

/** `/plugins` and `smith plugins`. */
export const plugins: Command = {
  name: "plugins",
  summary: "the plugins of the configuration: from where, for whom, what they bring, what is wrong with them",
  usage: ["[list] [--json]"],
  example: "plugins list",
  doors: ["slash", "cli"],
  flags: [{ name: "json", description: "as JSON" }],
  complete: (words) => (words.length <= 1 ? ["list"] : []),
  async run({ words: [verb = "list", ...rest] }, host) {
    if (verb !== "list" || rest.length > 0) return misuse(plugins);
    const rows = await host.plugins.list();
    if (rows.length === 0) return say("No plugins are configured. docs/PLUGINS.md tells how.", rows);
    return say(rows.flatMap(linesOf).join("\n"), rows);
  },
};

function linesOf({ entry, name, version, file, roles, tools, hooks, errors }: PluginRow): readonly string[] {
  const faults = errors.map((error) => `    ${error}`);
  if (name === null) return [`✗ ${entry}`, ...faults];
  const facts = [
    tools.length === 0 ? [] : [`tools ${tools.join(", ")} (${roles.join(", ")})`],
    hooks.length === 0 ? [] : [`hooks ${hooks.join(", ")}`],
  ].flat();
  const from = file === null || file === entry ? entry : `${entry} (${file})`;
  const title = `${errors.length === 0 ? "✓" : "!"} ${name}${version === null ? "" : ` ${version}`}  ${from}`;
  return [title, ...facts.map((fact) => `    ${fact}`), ...faults];
}

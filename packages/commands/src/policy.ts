import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import { MODES, type Mode } from "@smith/contract/config";
import { type Command, misuse, say } from "./command.ts";

const JSON_FLAG = { name: "json", description: "as JSON" };

/** `/tools` and `smith tools`. */
export const tools: Command = {
  name: "tools",
  summary: "the tools of a role, and which rule decides",
  usage: ["[--role R] [--json]"],
  example: "tools --role explorer",
  doors: ["slash", "cli"],
  flags: [{ name: "role", value: "R", description: "of this role (the active one)" }, JSON_FLAG],
  async run({ words, flags }, { policy, session }) {
    if (words.length > 0) return misuse(tools);
    const role = typeof flags["role"] === "string" ? flags["role"] : session.role();
    const rows = await policy.tools(role);
    const lines = rows.map(({ name, allowed, side_effects, rule }) => {
      const mark = allowed ? "✓" : "✗";
      return `${mark} ${name.padEnd(13)} ${side_effects === "some" ? "effects" : "       "}  ${rule}`;
    });
    return say([`tools of ${role}`, ...lines].join("\n"), rows);
  },
};

/** `/policy` and `smith policy`. */
export const policy: Command = {
  name: "policy",
  summary: "who may call what: the whole matrix, or one cell explained",
  usage: ["show [--mode M] [--json]", "explain ROLE TOOL [--json]"],
  example: "policy explain orchestrator bash",
  doors: ["slash", "cli"],
  flags: [{ name: "mode", value: "M", description: `as in this mode: ${MODES.join(", ")}` }, JSON_FLAG],
  async complete(words, host) {
    if (words.length <= 1) return ["show", "explain"];
    if (words[0] !== "explain") return [];
    if (words.length === 2) return host.policy.roles().map(({ name }) => name);
    return words.length === 3 ? (await host.policy.table("full")).map(({ tool }) => tool) : [];
  },
  async run({ words, flags }, host) {
    const [verb = "show", role, tool, ...rest] = words;
    if (verb === "explain" && role !== undefined && tool !== undefined && rest.length === 0) {
      const row = await host.policy.explain(role, tool);
      return say(`${row.decision}: ${row.rule} (${row.source})`, row);
    }
    const mode = flags["mode"] ?? host.session.mode();
    if (verb !== "show" || role !== undefined || !isMode(mode)) return misuse(policy);
    return table(mode, host);
  },
};

const isMode = (text: string | true): text is Mode => MODES.some((mode) => mode === text);

async function table(mode: Mode, host: CommandHost): Promise<CommandAnswer> {
  const rows = await host.policy.table(mode);
  const roles = host.policy.roles();
  const isCustom = roles.some(({ source }) => source !== null);
  const bases = ["made of", ...roles.map(({ base, source }) => (source === null ? "" : base))];
  const first = Math.max(14, ...rows.map(({ tool }) => tool.length + 2));
  const widths = [first, ...roles.map(({ name }) => Math.max(13, name.length + 1))];
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("")
      .trimEnd();
  const head = [line(["", ...roles.map(({ name }) => name)]), ...(isCustom ? [line(bases)] : [])];
  const body = rows.map((row) => line([row.tool, ...roles.map(({ name }) => SIGN[row.roles[name] ?? "deny"] ?? "✗")]));
  return say([`mode ${mode}`, ...head, ...body].join("\n"), rows);
}

const SIGN: Readonly<Record<string, string>> = { allow: "✓", ask: "ask", deny: "✗" };

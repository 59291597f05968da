import { isAbsolute } from "node:path";
import type { Config } from "@smith/contract/config";
import type { AnyTool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";

/** All that a chat is offered; the configuration can only take away. `report` ends a job, and no one else may call it. */
export const CHAT_TOOLS: readonly string[] = Object.freeze([
  ...["read", "list_dir", "code_map", "code_grep", "code_files", "code_symbols", "code_outline"],
  ...["web_search", "web_fetch", "note", "recall", "search", "dispatch"],
]);

/** A tool as a chat has it: one that looks, or null. */
export function narrowTool(tool: AnyTool): AnyTool | null {
  if (tool.name === "report") return tool;
  if (!CHAT_TOOLS.includes(tool.name)) return null;
  if (tool.name === "note") return withSchema(tool, NoteArguments);
  if (tool.name === "search" || tool.name === "recall") return ownOnly(tool);
  if (tool.name === "dispatch") return withSchema(tool, dispatchArguments(tool));
  return isShape(tool.schema) && "path" in tool.schema.shape ? insideOnly(tool) : tool;
}

/** The part of the configuration that holds the same line a second time, over whatever the files say. */
export function chatLayer({ gateway, services: { tool } }: Readonly<Config>) {
  const offered = CHAT_TOOLS.filter((name) => gateway.tools === undefined || gateway.tools.includes(name));
  const enabled = offered.filter((name) => tool.enabled === "all" || tool.enabled.includes(name));
  const extra = [...new Set([...tool.extra, "list_dir"])];
  return { services: { tool: { enabled: [...enabled, "report"], extra, confine: "all" } } };
}

const NoteArguments = z.strictObject({ action: z.enum(["list", "get"]), id: z.string().optional() });

/** The same fields, with the explorer as the only role to hand a job to. */
const dispatchArguments = (tool: AnyTool): z.ZodType => {
  const target_role = z.literal("explorer");
  return isShape(tool.schema) ? tool.schema.extend({ target_role }) : z.looseObject({ target_role });
};

const isShape = (schema: z.ZodType): schema is z.ZodObject => schema instanceof z.ZodObject;

const withSchema = (tool: AnyTool, schema: z.ZodType): AnyTool => Object.freeze({ ...tool, schema });

/** Tools are confined to the project and the temp folder; a chat has no business in the latter, which others use, too. */
const insideOnly = (tool: AnyTool): AnyTool =>
  Object.freeze({
    ...tool,
    async run(args: { readonly path?: string }, context: ToolContext): Promise<ToolOutcome> {
      const { path = "." } = args;
      const leaves = isAbsolute(path) || path.startsWith("~") || path.split(/[/\\]/).includes("..");
      if (!leaves) return tool.run(args, context);
      const message = `${JSON.stringify(path)}: in a chat a path is relative to the project and stays inside it. code_map shows what is there.`;
      return { ok: false, content: "", error: { kind: "policy", code: "path_escape", message } };
    },
  });

/** What others said, in a shell or in another chat, was not said to this one. */
const ownOnly = (tool: AnyTool): AnyTool =>
  Object.freeze({
    ...tool,
    run: (args: unknown, context: ToolContext) => tool.run(args, { ...context, reach: "conversation" }),
  });

/** What a chat's prompt says beside the role's. */
export const CHAT_BLOCK = [
  "## Chat",
  "",
  "You answer people in a chat who don't see this machine. You can look and explain; nothing can be changed or run from here. Keep it short and plain. Paths are relative to the project; never name keys, hosts or folders outside it. Only the newest messages are shown; search and recall find older ones.",
].join("\n");

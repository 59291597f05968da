import type { JsonSchema } from "@smith/contract/tool";
import { z } from "zod";
import { toolName } from "./names.ts";
import { repairSchema } from "./schema.ts";
import { cleanText, nameOf, quote } from "./words.ts";

/** Tools of one server that are taken. */
const MAX_TOOLS = 100;
const DESCRIPTION_CHARS = 2048;

/** A tool of a server, fit to be offered. */
export interface Offered {
  /** As the model calls it. */
  readonly name: string;
  /** As the server calls it. */
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly side_effects: "none" | "some";
}

export interface LeftOut {
  readonly tool: string;
  readonly why: string;
}

export interface Offer {
  readonly tools: readonly Offered[];
  readonly left_out: readonly LeftOut[];
}

export interface Choice {
  readonly enabled_tools?: readonly string[] | undefined;
  readonly disabled_tools?: readonly string[] | undefined;
}

const Raw = z.looseObject({
  name: z.string().min(1).max(512),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Goes through what a server lists, one by one: a tool that can't be offered takes no other with it. */
export function offerOf(server: string, listed: readonly unknown[], choice: Choice): Offer {
  const tools = new Map<string, Offered>();
  const left_out: LeftOut[] = [];
  for (const each of listed) {
    const judged = judge(server, each, choice);
    if (judged === null) continue;
    if ("why" in judged) left_out.push(judged);
    else if (tools.has(judged.name)) left_out.push({ tool: judged.tool, why: "the server lists that name twice" });
    else if (tools.size >= MAX_TOOLS) left_out.push({ tool: judged.tool, why: tooMany(server) });
    else tools.set(judged.name, judged);
  }
  for (const tool of choice.enabled_tools ?? []) {
    const isListed = listed.some((each) => Raw.safeParse(each).data?.name === tool);
    if (!isListed) left_out.push({ tool, why: "enabled_tools names it, and the server has none of that name" });
  }
  return { tools: [...tools.values()], left_out };
}

const tooMany = (server: string): string =>
  `the server lists more than ${MAX_TOOLS} tools; choose with mcp_servers.${server}.enabled_tools`;

/** Null: the user does not want it. */
function judge(server: string, each: unknown, { enabled_tools, disabled_tools }: Choice): Offered | LeftOut | null {
  const parsed = Raw.safeParse(each);
  if (!parsed.success) return { tool: nameIn(each), why: "its entry in the server's list has no name" };
  const { name: tool, title, description = title, inputSchema, annotations, execution } = parsed.data;
  if (enabled_tools?.includes(tool) === false || disabled_tools?.includes(tool) === true) return null;
  if (execution?.taskSupport === "required")
    return { tool: quote(tool, [], 80), why: "it only runs as a task, which Smith does not do" };
  const repaired = repairSchema(inputSchema);
  if ("refused" in repaired) return { tool: quote(tool, [], 80), why: repaired.refused };
  return {
    name: toolName(server, tool),
    tool,
    description: describe(description ?? "", `${tool}, of the MCP server ${server}`),
    parameters: repaired.schema,
    side_effects: annotations?.readOnlyHint === true ? "none" : "some",
  };
}

function describe(text: string, otherwise: string): string {
  const clean = cleanText(text).trim() || quote(otherwise);
  return clean.length <= DESCRIPTION_CHARS ? clean : `${clean.slice(0, DESCRIPTION_CHARS - 1).toWellFormed()}…`;
}

const nameIn = (each: unknown): string =>
  typeof each === "object" && each !== null && "name" in each
    ? quote(nameOf(each.name), [], 80)
    : "(one without a name)";

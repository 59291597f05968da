import { AgentError } from "@smith/contract/error";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";

/** A tool as its author writes it. */
export interface ToolDefinition<Arguments> extends Omit<Tool<Arguments>, "run" | "side_effects"> {
  /** Letters, digits, `_` and `-`, at most 64. Not the name of a built-in tool. */
  readonly name: string;
  /** What the model is told of it; not empty. */
  readonly description: string;
  /** A zod 4 object. Each call is checked by it before `run`; what does not fit is answered to the model. */
  readonly schema: z.ZodType<Arguments>;
  /** `none`: it only looks. Such calls run side by side, also in mode `plan`. Default `some`. */
  readonly side_effects?: "none" | "some";
  /**
   * Carries out one call. A text is the same as `{ ok: true, content: text }`; what can go wrong is returned as
   * `{ ok: false, content: "", error: { code, message } }`. A throw is answered to the model, too, as a fault of the tool.
   * It should heed `context.signal`: a call that does not end after a cancel, or after its 30 s, is given up.
   */
  run(args: Arguments, context: ToolContext): string | ToolOutcome | Promise<string | ToolOutcome>;
}

/** What every provider takes as the name of a function. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Makes a tool for {@link RuntimeOptions.tools}, the arguments of its `run` typed by its schema. The roles direct and worker
 * may call it; `role_allowlist` names others.
 * @throws {AgentError} `schema`/`bad_tool` for a name, a description or a schema that no provider takes.
 */
export function defineTool<Arguments>(definition: ToolDefinition<Arguments>): Readonly<Tool<Arguments>> {
  const { name, description, schema, run } = definition;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw bad(String(name), "its name has to be 1 to 64 letters, digits, '_' or '-'");
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw bad(name, "it needs a description: the model knows nothing else of it");
  }
  const fault = schemaFault(schema);
  if (fault !== null) throw bad(name, fault);
  return Object.freeze({
    side_effects: "some" as const,
    ...definition,
    async run(args: Arguments, context: ToolContext): Promise<ToolOutcome> {
      const outcome = await run.call(definition, args, context);
      return typeof outcome === "string" ? { ok: true, content: outcome } : outcome;
    },
  });
}

function schemaFault(schema: unknown): string | null {
  if (typeof schema !== "object" || schema === null || !("_zod" in schema)) {
    return "its schema has to be one of zod 4, as z.strictObject({ city: z.string() })";
  }
  try {
    const { type } = z.toJSONSchema(schema as z.ZodType, { io: "input", target: "draft-7" });
    return type === "object" ? null : "its schema has to be an object: arguments have names";
  } catch (thrown) {
    return `its schema can't be told to a model: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

const bad = (name: string, why: string): AgentError =>
  new AgentError({
    kind: "schema",
    code: "bad_tool",
    origin: "runtime/define-tool",
    message: `The tool ${JSON.stringify(name)} can't be defined: ${why}.`,
  });

import type { AnyTool, JsonSchema, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { lineOf } from "./fault.ts";
import type { PluginTool } from "./plugin.ts";

/** Runs code of the plugin as such; in a call, as that call's. */
export type Contain = <T>(work: () => T, at?: ToolContext) => T;

/** What every provider takes as the name of a function. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const text = z.string().trim().min(1);
const Shape = z.object({
  name: z.string().regex(NAME, "expected 1 to 64 letters, digits, '_' or '-'"),
  description: text,
  side_effects: z.enum(["none", "some"]).default("some"),
  timeout_s: z.number().gt(0).lte(86_400).optional(),
  role_allowlist: z.array(text).optional(),
  role_denylist: z.array(text).optional(),
  is_terminal: z.boolean().optional(),
});

/**
 * A plugin's tool as Smith runs it; or why it can't.
 * @param roles who may call it at most.
 */
export function toolOf(given: unknown, roles: readonly string[], contain: Contain): AnyTool | string {
  const shape = Shape.safeParse(given);
  if (!shape.success) return z.prettifyError(shape.error).replaceAll(/\s*\n\s*/g, " ");
  const made = given as PluginTool;
  const handler = made.run ?? made.execute;
  if (typeof handler !== "function") return "it has no run (or execute)";
  const accepted = schemaOf(made);
  if (typeof accepted === "string") return accepted;
  const { name, description, side_effects, timeout_s, role_allowlist = roles, role_denylist, is_terminal } = shape.data;
  const { result_renderer: render } = made;
  return Object.freeze({
    ...{ name, description, side_effects, ...accepted },
    ...(role_denylist === undefined ? {} : { role_denylist }),
    ...(is_terminal === undefined ? {} : { is_terminal }),
    role_allowlist: role_allowlist.filter((role) => roles.includes(role)),
    ...(timeout_s === undefined ? {} : { deadlineS: () => timeout_s }),
    ...(typeof render === "function"
      ? {
          result_renderer: (args: never, outcome: ToolOutcome) =>
            String(contain(() => render.call(made, args, outcome))),
        }
      : {}),
    run: async (args: unknown, context: ToolContext): Promise<ToolOutcome> => {
      // A copy: what it does to its arguments must not change what stands in the receipt.
      const own = structuredClone(args) as never;
      const here = Object.freeze({ ...context, work_dir: context.cwd });
      const answer = await contain(() => handler.call(made, own, here), context);
      return outcomeOf(answer, name);
    },
  } satisfies AnyTool);
}

/** Its arguments, as they are checked and as the model is told of them; or why there are none. */
function schemaOf({ schema, parameters = {} }: PluginTool): Pick<AnyTool, "schema" | "parameters"> | string {
  try {
    if (schema !== undefined && isZod(schema)) {
      const { type } = z.toJSONSchema(schema, { io: "input", target: "draft-7" });
      return type === "object" ? { schema } : "its schema is no object: arguments have names";
    }
    // `schema` may hold JSON Schema as well: that is what the word means elsewhere.
    const json = { type: "object", ...(schema ?? parameters) } as JsonSchema;
    if (json["type"] !== "object")
      return `its parameters are of type ${JSON.stringify(json["type"])}, expected "object"`;
    return { schema: z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0]), parameters: json };
  } catch (thrown) {
    return `its parameters are no JSON Schema: ${lineOf(thrown)}`;
  }
}

const isZod = (schema: unknown): schema is z.ZodType =>
  typeof schema === "object" && schema !== null && "_zod" in schema;

/** A text, an outcome, or lich's `{ ok, output, error }`. */
const Outcome = z.union([
  z.string().transform((content): ToolOutcome => ({ ok: true, content })),
  z.looseObject({ ok: z.boolean(), content: z.string() }).transform((outcome) => outcome as unknown as ToolOutcome),
  z.object({ ok: z.boolean(), output: z.string(), error: z.string().optional() }).transform(
    ({ ok, output, error }): ToolOutcome => ({
      ...{ ok, content: output },
      ...(error === undefined || ok ? {} : { error: { code: "failed", message: error } }),
    }),
  ),
]);

function outcomeOf(answer: unknown, name: string): ToolOutcome {
  const read = Outcome.safeParse(answer);
  if (read.success) return read.data;
  const message = `The tool ${name} answered ${shown(answer)}; expected a text, or { ok, content }.`;
  return { ok: false, content: "", error: { code: "bad_result", message } };
}

const shown = (value: unknown): string => (value === undefined ? "nothing" : lineOf(value).slice(0, 80));

import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { JsonSchema } from "@smith/contract/tool";
import { z } from "zod";
import type { Demand } from "./demand.ts";
import type { TurnInput } from "./input.ts";

/** What an answer has to be: a zod 4 schema, whose output is the value's type, or a plain JSON Schema. */
export type OutputSchema<T = unknown> = z.ZodType<T> | JsonSchema;

/** How often the model is told that its answer does not fit. */
const COMPLAINTS = 2;

/** @throws {AgentError} `schema`/`bad_output_schema` for one that can't be told to a model. */
export function createDemand(wanted: OutputSchema): Demand {
  const { schema, told } = readSchema(wanted);
  let left = COMPLAINTS;
  const request = `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(told)}`;
  const examine = (text: string) => examineText(text, schema);
  return Object.freeze({
    told: (input: TurnInput): TurnInput =>
      typeof input === "string" ? `${input}\n\n${request}` : { ...input, text: `${input.text}\n\n${request}` },
    complaints(messages: readonly TranscriptMessage[]) {
      const last = messages.at(-1);
      if (last?.role !== "assistant" || (last.tool_calls ?? []).length > 0 || left === 0) return [];
      const found = examine(last.content);
      if ("value" in found) return [];
      left--;
      return [`That is not what was asked for: ${found.fault}\n${request}`];
    },
    read(text: string) {
      const found = examine(text);
      if ("value" in found) return found.value;
      throw new AgentError({
        kind: "schema",
        code: "output_schema",
        origin: "runtime/output",
        data: { text: text.slice(0, TEXT_KEPT).toWellFormed() },
        message: `The answer does not fit output_schema, also after the model was told so ${COMPLAINTS} times: ${found.fault}`,
      });
    },
  });
}

/** Characters of the answer that the error carries; the whole one is in the result. */
const TEXT_KEPT = 1000;

function readSchema(wanted: OutputSchema): { schema: z.ZodType; told: JsonSchema } {
  try {
    if (typeof wanted !== "object" || wanted === null) throw new Error(`got ${JSON.stringify(wanted)}.`);
    const isZod = "_zod" in wanted;
    if (!isZod && Object.values(wanted).some((each) => typeof each === "function"))
      throw new Error("got a schema of another library, or of zod 3.");
    const schema = isZod ? (wanted as z.ZodType) : z.fromJSONSchema(wanted as Parameters<typeof z.fromJSONSchema>[0]);
    const { $schema: _dialect, ...told } = isZod ? z.toJSONSchema(schema, { io: "input", target: "draft-7" }) : wanted;
    return { schema, told: told as JsonSchema };
  } catch (thrown) {
    throw new AgentError({
      kind: "schema",
      code: "bad_output_schema",
      origin: "runtime/output",
      message:
        "output_schema has to be a zod 4 schema that JSON Schema can say, or a JSON Schema: " +
        (thrown instanceof Error ? thrown.message : String(thrown)),
      cause: thrown,
    });
  }
}

type Found = { readonly value: unknown } | { readonly fault: string };

/** The first reading of the text that is JSON decides; what is wrong with it is what the model is told. */
function examineText(text: string, schema: z.ZodType): Found {
  for (const candidate of readings(text)) {
    const parsed = parse(candidate);
    if (parsed === undefined) continue;
    const checked = schema.safeParse(parsed.value);
    return checked.success ? { value: checked.data } : { fault: `${z.prettifyError(checked.error)}` };
  }
  return { fault: text.trim() === "" ? "the answer is empty." : "it is not JSON." };
}

/** The text itself, what stands in its last fence, and what stands between its outermost brackets. */
function readings(text: string): readonly string[] {
  const fenced = [...text.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)```/g)].at(-1)?.[1];
  const [start, end] = [text.search(/[[{]/), Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"))];
  return [text, fenced ?? "", start >= 0 && end > start ? text.slice(start, end + 1) : ""];
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined; // another reading may be JSON
  }
}

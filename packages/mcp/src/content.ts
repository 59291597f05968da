import type { ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { cleanText, nameOf, quote, sizeText } from "./words.ts";

/** What a tool answered, as far as its shape holds; a part that has none of the known shapes is told of, not refused. */
export const Answer = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type Answer = z.infer<typeof Answer>;

const data = { data: z.string(), mimeType: z.string().default("unknown type") };
const Resource = z.looseObject({
  uri: z.string(),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const Part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image"), ...data }),
  z.looseObject({ type: z.literal("audio"), ...data }),
  z.looseObject({
    ...{ type: z.literal("resource_link"), uri: z.string(), name: z.string().default("") },
    ...{ description: z.string().optional(), mimeType: z.string().optional() },
  }),
  z.looseObject({ type: z.literal("resource"), resource: Resource }),
]);
type Part = z.infer<typeof Part>;

/** A tool's answer as the text that a transcript can hold. Binary parts are named with their type and size. */
export function outcomeOf(answer: Answer): ToolOutcome {
  const parts = answer.content.map(partText);
  const text = parts.length === 0 ? structuredText(answer.structuredContent) : parts.join("\n");
  if (answer.isError !== true) return { ok: true, content: text === "" ? "[the tool answered nothing]" : text };
  const message = quote(text, [], 2000) || "The tool failed and did not say why.";
  // The message is the answer on one line; the whole is shown beside it only where it is more than that.
  return { ok: false, content: text.trim() === message ? "" : text, error: { code: "tool_error", message } };
}

function partText(part: unknown): string {
  const parsed = Part.safeParse(part);
  return parsed.success ? textOf(parsed.data) : `[a part of the answer has no known form: ${quote(kindOf(part))}]`;
}

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
      return cleanText(part.text);
    case "image":
    case "audio":
      return `[${part.type} ${quote(part.mimeType)}, ${sizeText(decodedBytes(part.data))}: left out, a tool's answer is text here]`;
    case "resource_link":
      return `[resource ${quote(part.name)} at ${quote(part.uri, [], 2000)}${typeText(part.mimeType)}]${described(part.description)}`;
    case "resource":
      return resourceText(part.resource);
    default:
      return part satisfies never;
  }
}

function resourceText({ uri, mimeType, text, blob }: z.infer<typeof Resource>): string {
  const head = `resource ${quote(uri, [], 2000)}${typeText(mimeType)}`;
  if (text !== undefined) return `[${head}]\n${cleanText(text)}`;
  const size = blob === undefined ? "empty" : `${sizeText(decodedBytes(blob))}: left out, a tool's answer is text here`;
  return `[${head}, ${size}]`;
}

const typeText = (type: string | undefined): string => (type === undefined ? "" : ` (${quote(type)})`);
const described = (text: string | undefined): string => (text === undefined ? "" : ` ${quote(text)}`);
const decodedBytes = (base64: string): number => Math.floor((base64.length * 3) / 4);

const kindOf = (part: unknown): string =>
  typeof part === "object" && part !== null && "type" in part ? nameOf(part.type) : typeof part;

/** For a server that answers with data alone, as newer ones may. */
const structuredText = (value: unknown): string =>
  value === undefined || value === null ? "" : cleanText(JSON.stringify(value, null, 1));

import { z } from "zod";

/** A tool call as the model sent it: `arguments` is its raw text, parsed only by the executor. */
export const ToolCall = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const Part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  /** `blob` is the SHA-256 (16 hex digits) under which the bytes are kept. */
  z.strictObject({ type: z.literal("image"), media_type: z.string(), blob: z.string() }),
]);
export type Part = z.infer<typeof Part>;

const Content = z.union([z.string(), z.array(Part)]);

/** Where a message stands: its turn, the round inside it (0 = the user's line), and when it came (ms since the epoch). */
const place = { turn_id: z.string().min(1), round: z.int().gte(0), ts: z.int() };

export const UserMessage = z.strictObject({ role: z.literal("user"), content: Content, ...place });
export type UserMessage = z.infer<typeof UserMessage>;

export const AssistantMessage = z.strictObject({
  role: z.literal("assistant"),
  content: z.string(),
  tool_calls: z.array(ToolCall).optional(),
  reasoning: z.string().optional(),
  /** What a provider wants back word for word (signed thoughts), under the kind of its adapter; only that reads it. */
  provider_data: z.record(z.string(), z.unknown()).optional(),
  /** True when the answer was cut off by a cancel or an error: kept for the user, not a finished answer. */
  is_error: z.boolean().optional(),
  ...place,
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const ToolMessage = z.strictObject({
  role: z.literal("tool"),
  content: z.string(),
  tool_call_id: z.string().min(1),
  name: z.string(),
  ok: z.boolean(),
  is_error: z.boolean().optional(),
  recall_key: z.string().optional(),
  ...place,
});
export type ToolMessage = z.infer<typeof ToolMessage>;

/** What is stored of a conversation. The system message is not: it is built anew each turn. */
export const TranscriptMessage = z.discriminatedUnion("role", [UserMessage, AssistantMessage, ToolMessage]);
export type TranscriptMessage = z.infer<typeof TranscriptMessage>;

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

export type Message = SystemMessage | TranscriptMessage;

/** The first line with something on it, trimmed; one of more characters ends in `…`. For lists of texts. */
export function firstLine(text: string, maxChars: number): string {
  const line =
    text
      .split("\n")
      .find((each) => each.trim() !== "")
      ?.trim() ?? "";
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** The text of a message's content; image parts count as nothing. */
export const textOf = (content: string | readonly Part[]): string =>
  typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

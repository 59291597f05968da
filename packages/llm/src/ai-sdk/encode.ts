import type { AssistantMessage, Message, ToolCall, UserMessage } from "@smith/contract/message";
import type { ChatRequest } from "@smith/contract/model";
import { keptBy, type Owner, piecesOf } from "../echo.ts";
import { fitName } from "../ids.ts";
import { isBlank, isTooDeep, objectText, orElse } from "../json.ts";
import { type Pictures, shownOf } from "../pictures.ts";
import { isReasoningModel } from "../reasoning.ts";
import { isObject, type WireObject } from "../wire.ts";

/** The options of a call of a package's model, but for its signal. */
export function callOptions(request: ChatRequest, owner: Owner, pictures: Pictures): Readonly<Record<string, unknown>> {
  const { model, temperature, max_tokens, effort, tools } = request;
  return {
    prompt: request.messages.flatMap((message) => promptOf(message, owner, pictures)),
    ...(max_tokens === undefined ? {} : { maxOutputTokens: max_tokens }),
    ...(temperature === undefined || isReasoningModel(model) ? {} : { temperature }),
    ...(effort === undefined ? {} : { providerOptions: effortOptions(effort, owner.provider) }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice: { type: "auto" } }),
  };
}

/** Tokens of thought, where a provider takes a number. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const;

/** Each package reads the options under its own name and leaves those of others. */
function effortOptions(effort: NonNullable<ChatRequest["effort"]>, provider: string): unknown {
  const reasoning = { reasoningEffort: effort };
  const budget = BUDGETS[effort];
  return {
    ...Object.fromEntries(
      [provider, "openai", "azure", "openaiCompatible", "xai", "groq"].map((name) => [name, reasoning]),
    ),
    google: { thinkingConfig: { thinkingBudget: budget, includeThoughts: true } },
    anthropic: { thinking: { type: "enabled", budgetTokens: budget } },
    bedrock: { reasoningConfig: { type: "enabled", budgetTokens: budget } },
  };
}

const toolOf = ({ name, description, parameters }: ChatRequest["tools"][number]) => ({
  type: "function",
  name,
  description: description.toWellFormed(),
  inputSchema: parameters,
});

/** A message; none when it must not be sent. */
function promptOf(message: Message, owner: Owner, pictures: Pictures): readonly unknown[] {
  switch (message.role) {
    case "system":
      return isBlank(message.content) ? [] : [{ role: "system", content: message.content.toWellFormed() }];
    case "user":
      return [{ role: "user", content: userParts(message, pictures) }];
    case "tool": {
      const { tool_call_id: toolCallId, name, content, ok, is_error } = message;
      const type = is_error === true || !ok ? "error-text" : "text";
      const output = { type, value: orElse(content, "(no output)").toWellFormed() };
      return [{ role: "tool", content: [{ type: "tool-result", toolCallId, toolName: fitName(name), output }] }];
    }
    case "assistant": {
      const content = assistantParts(message, owner);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    default:
      return message satisfies never;
  }
}

function userParts(message: UserMessage, pictures: Pictures): readonly unknown[] {
  const shown = shownOf(message, pictures);
  if (typeof shown === "string") return [{ type: "text", text: orElse(shown, "(no text)").toWellFormed() }];
  return shown.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text.toWellFormed() }
      : { type: "file", mediaType: part.media_type, data: part.base64 },
  );
}

/** What a package gave with a call, to be handed back with it. */
export interface CallNote {
  readonly call_id: string;
  readonly options: unknown;
}

function assistantParts(message: AssistantMessage, owner: Owner): readonly unknown[] {
  const kept = keptBy(owner, message);
  const notes = new Map(kept.map(({ item }) => [item["call_id"], item["options"]]));
  const pieces = piecesOf(
    message.content,
    message.tool_calls ?? [],
    kept.filter(({ item }) => item["call_id"] === undefined),
  );
  const parts = pieces.flatMap((piece) => {
    if ("item" in piece) return [thoughtOf(piece.item)];
    if ("call" in piece) return [callOf(piece.call, notes.get(piece.call.id))];
    return isBlank(piece.text) ? [] : [{ type: "text", text: piece.text.toWellFormed() }];
  });
  // A thought alone is refused.
  return pieces.some((piece) => !("item" in piece)) ? parts : [];
}

const thoughtOf = ({ text, options }: WireObject) => ({ type: "reasoning", text, providerOptions: options });

function callOf({ id, name, arguments: args }: ToolCall, options: unknown): unknown {
  const input: unknown = JSON.parse(isTooDeep(args) ? "{}" : objectText(args));
  const call = { type: "tool-call", toolCallId: id, toolName: fitName(name), input };
  return isObject(options) ? { ...call, providerOptions: options } : call;
}

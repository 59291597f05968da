import type { ChatReply, Usage } from "@smith/contract/model";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { FoldInput } from "../adapter.ts";
import { createCalls } from "../calls.ts";
import { type Kept, keepFor, type Owner } from "../echo.ts";
import { finishReason, UNREADABLE } from "../fold.ts";
import { createText } from "../text.ts";
import { isObject, textOf, type WireObject } from "../wire.ts";

export interface AiSdkFold {
  /** Takes a part of a stream, or of a whole answer's content. */
  add(part: WireObject): void;
  /** Takes what ends an answer: a `finish` part, or the whole answer itself. */
  end(finish: WireObject): void;
  /** What was said of its end; `""` until then, and where a package can't tell an end from a broken line. */
  readonly finish: string;
  reply(): ChatReply;
}

/** Folds the parts of a package's answer, of version 2 and 3 of their interface. */
export function createFold(input: FoldInput, owner: Owner): AiSdkFold {
  const text = createText(input.onDelta);
  const calls = createCalls(input.tool_names);
  const kept: Kept[] = [];
  const thoughts = new Map<unknown, { text: string; options: unknown }>();
  const about = { finish: "", model: "", usage: UNKNOWN_USAGE, written: null as number | null };

  const keep = (item: WireObject) => kept.push({ text_at: text.content().length, calls_at: calls.count, item });
  const think = (part: WireObject, piece: string) => {
    const thought = thoughts.get(part["id"]) ?? { text: "", options: undefined };
    thoughts.set(part["id"], { text: thought.text + piece, options: part["providerMetadata"] ?? thought.options });
    text.add({ reasoning: piece });
  };
  const endThought = (part: WireObject) => {
    think(part, "");
    const thought = thoughts.get(part["id"]);
    thoughts.delete(part["id"]);
    // Only what its provider signed has to go back.
    if (thought !== undefined && isObject(thought.options)) keep({ text: thought.text, options: thought.options });
  };
  const call = (part: WireObject) => {
    if (part["providerExecuted"] === true) return; // a tool that the provider ran by itself
    const id = textOf(part["toolCallId"]);
    if (isObject(part["providerMetadata"])) keep({ call_id: id, options: part["providerMetadata"] });
    calls.addWhole({ id, function: { name: part["toolName"], arguments: part["input"] } });
  };
  const take: Readonly<Record<string, (part: WireObject) => void>> = {
    "text-delta": (part) => text.add({ content: textOf(part["delta"]) }),
    text: (part) => text.add({ content: textOf(part["text"]) }),
    "reasoning-start": (part) => think(part, ""),
    "reasoning-delta": (part) => think(part, textOf(part["delta"])),
    "reasoning-end": endThought,
    reasoning(part) {
      think(part, textOf(part["text"]));
      endThought(part);
    },
    "tool-call": call,
    "response-metadata": (part) => (about.model = textOf(part["modelId"]) || about.model),
  };
  return {
    add(part) {
      const type = textOf(part["type"]);
      if (Object.hasOwn(take, type)) take[type]?.(part);
    },
    end({ finishReason: reason, usage, providerMetadata, response }) {
      const said = isObject(reason) ? textOf(reason["unified"]) : textOf(reason);
      about.finish = ["unknown", "other", "error"].includes(said) ? "" : said;
      about.usage = usageOf(usage);
      about.written = writtenIn(usage, providerMetadata);
      about.model = (isObject(response) ? textOf(response["modelId"]) : "") || about.model;
    },
    get finish() {
      return about.finish;
    },
    reply() {
      const tool_calls = calls.count === 0 ? [] : calls.finish(input.takenIds());
      const content = text.content();
      const provider_data = keepFor(owner, kept);
      return Object.freeze({
        content: content === "" && tool_calls.length === 0 && calls.warnings.length > 0 ? UNREADABLE : content,
        reasoning: text.reasoning(),
        tool_calls,
        finish_reason: finishReason(about.finish.replace("content-filter", "content_filter"), tool_calls),
        usage: about.usage,
        ...(about.written === null ? {} : { cache_write_tokens: about.written }),
        ...(provider_data === undefined ? {} : { provider_data }),
        model: about.model || input.model,
        warnings: [...calls.warnings],
      });
    },
  };
}

const count = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;

/** Version 2 has flat counts, version 3 parts them under `inputTokens` and `outputTokens`. */
function usageOf(usage: unknown): Usage {
  if (!isObject(usage)) return UNKNOWN_USAGE;
  const { inputTokens: input, outputTokens: output } = usage;
  return Object.freeze({
    input_tokens: count(isObject(input) ? input["total"] : input),
    output_tokens: count(isObject(output) ? output["total"] : output),
    cached_tokens: count(isObject(input) ? input["cacheRead"] : usage["cachedInputTokens"]),
    reasoning_tokens: count(isObject(output) ? output["reasoning"] : usage["reasoningTokens"]),
    cost_usd: null,
  });
}

function writtenIn(usage: unknown, metadata: unknown): number | null {
  const input = isObject(usage) ? usage["inputTokens"] : undefined;
  const anthropic = isObject(metadata) ? metadata["anthropic"] : undefined;
  const written = isObject(input)
    ? input["cacheWrite"]
    : isObject(anthropic)
      ? anthropic["cacheCreationInputTokens"]
      : null;
  return count(written) || null;
}

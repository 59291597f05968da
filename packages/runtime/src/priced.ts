import type { Price } from "@smith/contract/catalog";
import type { ChatModel } from "@smith/contract/model";

/**
 * The same model with the cost of each answer: what the provider itself says it took, else its price times what was used;
 * null where either is not known.
 */
export function priced(
  model: ChatModel,
  priceOf: (model: string) => Price | null,
  costOf: typeof import("@smith/llm").costOf,
): ChatModel {
  return Object.freeze<ChatModel>({
    ...model,
    async chat(request, options) {
      const reply = await model.chat(request, options);
      const price = priceOf(request.model);
      if (reply.usage.cost_usd !== null || price === null) return reply;
      const { cache_write_tokens = null, usage } = reply;
      return Object.freeze({
        ...reply,
        usage: { ...usage, cost_usd: costOf({ ...usage, cache_write_tokens }, price) },
      });
    },
  });
}

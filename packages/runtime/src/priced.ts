import type { ChatModel } from "@smith/contract/model";
import type { Known } from "./catalog.ts";

/**
 * The same model with the cost of each answer: by the user's own price, else what the provider itself says it took, else
 * its price times what was used; null where either is not known.
 */
export function priced(
  model: ChatModel,
  priceOf: (model: string) => Pick<Known, "price" | "is_own_price">,
  costOf: typeof import("@smith/llm").costOf,
): ChatModel {
  return Object.freeze<ChatModel>({
    ...model,
    async chat(request, options) {
      const reply = await model.chat(request, options);
      const { price, is_own_price } = priceOf(request.model);
      if (price === null || (reply.usage.cost_usd !== null && !is_own_price)) return reply;
      const { cache_write_tokens = null, usage } = reply;
      return Object.freeze({
        ...reply,
        usage: { ...usage, cost_usd: costOf({ ...usage, cache_write_tokens }, price) },
      });
    },
  });
}

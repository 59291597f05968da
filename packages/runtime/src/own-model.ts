import type { ChatModel } from "@smith/contract/model";
import type { Settings } from "./config/settings.ts";
import { retried } from "./connect.ts";
import { CONTEXT_WINDOW, type ModelChoice } from "./models.ts";
import type { Services } from "./services.ts";

/** The model service of a runtime that was given its model: every role is answered by it, whatever is configured. */
export const ownModel = (chat: ChatModel, config: Settings): Services["model"] =>
  Object.freeze<Services["model"]>({
    select: async (_role, override): Promise<ModelChoice> => ({
      model: override ?? chat.provider,
      provider: chat.provider,
      ...{ api_url: null, endpoints: [], source: "override", key: "chat_model" },
      ...{ context_window: chat.context_window ?? CONTEXT_WINDOW, max_output_tokens: null },
    }),
    connect: () => retried(chat, config.effective()),
    close: async () => chat.close?.(),
  });

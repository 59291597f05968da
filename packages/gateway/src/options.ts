import type { Layer } from "@smith/runtime";
import { CHAT_BLOCK, narrowTool } from "./tools.ts";

/** What a runtime for chats is made with, beside what its door says. */
export const chatOptions = Object.freeze({
  /** Model calls of a turn, unless configured otherwise. */
  defaults: Object.freeze({ max_rounds: 25 }) satisfies Layer,
  services: Object.freeze({ tool: { narrow: narrowTool }, prompt: { block: CHAT_BLOCK } }),
});

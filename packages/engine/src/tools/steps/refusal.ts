import type { AgentError } from "@smith/contract/error";
import type { Done } from "../work.ts";

/** The end of a call that never reached a handler: nothing ran, nothing changed. */
export const refusal = (error: AgentError): Done => ({
  outcome: { ok: false, content: "" },
  error: error.toJSON(),
  cancelled: error.kind === "cancelled",
  mutation_state: "none",
  ran: false,
});

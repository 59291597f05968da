import { cancelReason } from "@smith/contract/cancel";
import { cancelledError } from "@smith/contract/error";
import type { Done, ExecutorPorts, Step, Work } from "../work.ts";
import { refusal } from "./refusal.ts";

/** Hooks may refuse a call that the gate let pass, or want the user asked about it. */
export const veto: Step = async (work, next, ports) => {
  const judged = await judge(work, ports);
  return "refused" in judged ? judged.refused : next({ ...work, doubt: judged.doubt });
};

/** What hooks say to a call as it would run; a cancel meanwhile refuses it. */
export async function judge(
  work: Work,
  { hooks }: ExecutorPorts,
): Promise<{ readonly refused: Done } | { readonly doubt: string | null }> {
  if (hooks === null) return { doubt: null };
  const said = await hooks.beforeCall(hookedCall(work));
  if (work.signal.aborted) return { refused: refusal(cancelledError(cancelReason(work.signal), "engine/veto")) };
  if (said.verdict === "block") return { refused: refusal(said.error) };
  return { doubt: said.verdict === "ask" ? said.reason : null };
}

export const hookedCall = ({ call, args }: Work) => ({ call_id: call.id, tool_name: call.name, args });

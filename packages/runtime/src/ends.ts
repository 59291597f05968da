import type { Config } from "@smith/contract/config";
import { AgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { TurnEnd } from "@smith/engine";

/** The one event that ends a turn. */
export function endEvent(end: TurnEnd): EventBody {
  if (end.stop_reason !== "error") return { type: "turn_completed", stop_reason: end.stop_reason };
  const error =
    end.error ?? new AgentError({ kind: "internal", message: "The turn ended in an error without a cause." });
  return { type: "turn_failed", error: error.toJSON() };
}

/** Which budget ended a turn, and what to do about it. */
export const budgetText = (end: TurnEnd, config: Readonly<Config>): string =>
  end.which === "max_rounds"
    ? `Stopped after ${config.max_rounds} model calls (max_rounds). Say "go on", or raise it.`
    : `Stopped after ${config.tool_step_budget} tool calls (tool_step_budget). Say "go on", or raise it.`;

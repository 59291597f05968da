import type { ToolCall } from "@smith/contract/message";
import { isReport } from "./results.ts";

export interface Limits {
  /** Tool calls the model may make, refused ones counted, `report` never; null = no limit. */
  readonly tool_step_budget: number | null;
  /** Model calls; null = no limit. */
  readonly max_rounds: number | null;
}

export interface Budget {
  /** Splits a batch, in call order, into what may run and what comes too late. Counts what it lets through. */
  take(calls: readonly ToolCall[]): { readonly run: readonly ToolCall[]; readonly refused: readonly ToolCall[] };
  roundsSpent(rounds: number): boolean;
}

export function createBudget(limits: Limits): Budget {
  let left = limits.tool_step_budget ?? Number.POSITIVE_INFINITY;
  return Object.freeze({
    take(calls: readonly ToolCall[]) {
      const run: ToolCall[] = [];
      const refused: ToolCall[] = [];
      for (const call of calls) {
        if (isReport(call)) run.push(call);
        else if (left > 0) {
          left--;
          run.push(call);
        } else refused.push(call);
      }
      return { run, refused };
    },
    roundsSpent: (rounds: number) => limits.max_rounds !== null && rounds >= limits.max_rounds,
  });
}

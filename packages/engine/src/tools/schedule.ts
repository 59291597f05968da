import type { ToolCall } from "@smith/contract/message";
import type { ToolResult } from "@smith/contract/tool";
import pLimit from "p-limit";

/** How many calls of one group run at the same time. */
const SIDE_BY_SIDE = 8;

export interface Schedule {
  /** May run beside its neighbours: nothing it does can disturb another call. */
  isFree(call: ToolCall): boolean;
  /** Runs one call to its result; never throws. */
  run(call: ToolCall): Promise<ToolResult>;
  /** The result of a call that must not start any more. */
  skip(call: ToolCall, why: "cancelled" | "report"): ToolResult;
  isCancelled(): boolean;
}

/**
 * Runs a batch: neighbouring free calls side by side, every other call alone, in order. Results are delivered in call
 * order, each as soon as all before it are. After a terminal success or a cancel the rest is skipped, not run.
 */
export async function runBatch(
  calls: readonly ToolCall[],
  schedule: Schedule,
  deliver: (result: ToolResult) => Promise<void>,
): Promise<void> {
  let ended = false;
  const runOne = async (call: ToolCall): Promise<ToolResult> => {
    if (ended) return schedule.skip(call, "report");
    if (schedule.isCancelled()) return schedule.skip(call, "cancelled");
    const result = await schedule.run(call);
    ended ||= result.terminal;
    return result;
  };
  for (const group of groupsOf(calls, schedule)) {
    const limit = pLimit(SIDE_BY_SIDE);
    const running = group.map((call) => limit(runOne, call));
    for (const result of running) await deliver(await result);
  }
}

function groupsOf(calls: readonly ToolCall[], schedule: Schedule): readonly (readonly ToolCall[])[] {
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | null = null;
  for (const call of calls) {
    if (!schedule.isFree(call)) {
      groups.push([call]);
      open = null;
    } else if (open === null) {
      open = [call];
      groups.push(open);
    } else open.push(call);
  }
  return groups;
}

import type { CancelNode, DispatchResult, Report } from "@smith/contract/dispatch";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { ToolResult } from "@smith/contract/tool";
import { isBadReport, isReport } from "./results.ts";

/** What a turn's results come to, gathered while it runs. */
export interface Gathered {
  onResult(result: ToolResult): void;
  onMessage(message: TranscriptMessage): void;
  /** Once it is known what commands changed; what another call may have changed is not this turn's. */
  onReceipts(receipts: readonly Receipt[]): void;
  /** The accepted report of a child. */
  report(): Report | null;
  invalidReports(): number;
  lastText(): string;
  /** Calls that reached a handler, reports left out. */
  toolCalls(): number;
  filesChanged(): readonly string[];
  /** Jobs handed out, nested ones after the one they belong to. */
  dispatches(): readonly DispatchResult[];
  /** This node of the tree and those below it, once the turn has ended. */
  account(node: Pick<CancelNode, "role" | "job_id" | "stopped_after_ms">): readonly CancelNode[];
}

export function createGathered(): Gathered {
  let report: Report | null = null;
  let text = "";
  const count = { invalid: 0, ran: 0 };
  const files = new Set<string>();
  const cut: CancelNode["calls"][number][] = [];
  const dispatches: DispatchResult[] = [];
  const below: CancelNode[] = [];

  const onReport = (result: ToolResult): void => {
    const accepted = (result.metadata as { report?: Report }).report;
    if (accepted !== undefined) report = accepted;
    else if (isBadReport(result)) count.invalid++;
  };
  const onDispatch = ({ metadata }: ToolResult): void => {
    const told = metadata as {
      dispatch?: DispatchResult;
      nested?: readonly DispatchResult[];
      account?: readonly CancelNode[];
    };
    if (told.dispatch !== undefined) dispatches.push(told.dispatch, ...(told.nested ?? []));
    below.push(...(told.account ?? []));
  };
  const onResult = (result: ToolResult): void => {
    if (isReport({ name: result.tool })) {
      onReport(result);
      return;
    }
    if (result.ran) count.ran++;
    for (const file of result.files) if (file.hash_before !== file.hash_after) files.add(file.path);
    if (result.cancelled && result.ran) cut.push({ tool: result.tool, mutation_state: result.mutation_state });
    onDispatch(result);
  };

  return Object.freeze({
    onResult,
    onMessage(message: TranscriptMessage) {
      if (message.role === "assistant" && message.content.trim() !== "") text = message.content;
    },
    onReceipts(receipts: readonly Receipt[]) {
      const changed = receipts.flatMap(({ changed_during }) => changed_during ?? []);
      for (const { path, shared } of changed) if (!shared) files.add(path);
    },
    report: () => report,
    invalidReports: () => count.invalid,
    lastText: () => text,
    toolCalls: () => count.ran,
    filesChanged: () => [...files],
    dispatches: () => [...dispatches],
    account: (node: Pick<CancelNode, "role" | "job_id" | "stopped_after_ms">) => [
      { ...node, calls: [...cut], files_changed: [...files] },
      ...below,
    ],
  });
}

import type { AgentErrorData } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { ToolCall } from "@smith/contract/message";
import type { Intent } from "@smith/contract/store";
import type { AnyTool, ToolContext, ToolOutcome, ToolResult } from "@smith/contract/tool";
import type { ReceiptBook } from "./receipts.ts";
import type { RoleTools } from "./registry.ts";
import type { Slots } from "./slots.ts";
import { announce } from "./steps/announce.ts";
import { clamp } from "./steps/clamp.ts";
import { deadline } from "./steps/deadline.ts";
import { decode } from "./steps/decode.ts";
import { gate } from "./steps/gate.ts";
import { intend } from "./steps/intend.ts";
import { normalise } from "./steps/normalise.ts";
import { receipt } from "./steps/receipt.ts";
import { run } from "./steps/run.ts";
import { slot } from "./steps/slot.ts";

/** What the executor needs of the world. */
export interface ExecutorPorts {
  readonly tools: RoleTools;
  readonly scope: Omit<ToolContext, "call_id" | "signal" | "isCancelled" | "role">;
  readonly signal: AbortSignal;
  emit(body: EventBody): void;
  now(): number;
  /** SHA-256 (16 hex digits) of a file's bytes; null when there is none. */
  hashFile(path: string): Promise<string | null>;
  hashText(text: string): string;
  /** Places for calls that start processes, over the whole tree. */
  readonly processes: Slots;
  intend(intent: Intent): Promise<void>;
  /** Of the turn. */
  readonly receipts: ReceiptBook;
}

/** A call on its way through the chain; each step hands an enriched copy to the next. */
export interface Work {
  readonly call: ToolCall;
  readonly args: unknown;
  readonly tool: AnyTool | null;
  readonly signal: AbortSignal;
  readonly files_before: Readonly<Record<string, string | null>> | null;
}

/** What a step answers: the handler's outcome, and what the steps around it learnt. */
export interface Done {
  readonly outcome: ToolOutcome;
  /** The error in full, where a step made it; else `normalise` builds it from the outcome's fault. */
  readonly error?: AgentErrorData;
  readonly cancelled: boolean;
  readonly mutation_state: ToolResult["mutation_state"];
  readonly ran: boolean;
  /** Of a call that reached its handler. */
  readonly receipt_id?: string;
}

export type Next = (work: Work) => Promise<Done>;
export type Step = (work: Work, next: Next, ports: ExecutorPorts) => Promise<Done>;

/** The order is the law (`docs/ARCHITECTURE.md`): a refused call writes no intent, an intent precedes each effect. */
const CHAIN: readonly Step[] = [decode, gate, slot, announce, receipt, intend, deadline, clamp, run];

/** Runs one call through the chain to exactly one result. Never throws. */
export function createExecutor(ports: ExecutorPorts): (call: ToolCall) => Promise<ToolResult> {
  const enter = CHAIN.reduceRight<Next>(
    (next, step) => (work) => step(work, next, ports),
    () => Promise.reject(new Error("the chain has no end")),
  );
  return (call) => {
    const work: Work = { call, args: null, tool: null, signal: ports.signal, files_before: null };
    return normalise(work, enter, ports);
  };
}

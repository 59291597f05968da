import type { ConfirmRequest, Verdict } from "@smith/contract/confirm";
import type { AgentErrorData } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { Hooks } from "@smith/contract/hook";
import type { ToolCall } from "@smith/contract/message";
import type { Intent } from "@smith/contract/store";
import type { AnyTool, ToolContext, ToolOutcome, ToolResult } from "@smith/contract/tool";
import type { ReceiptBook } from "./receipts.ts";
import type { RoleTools } from "./registry.ts";
import type { Slots } from "./slots.ts";

/** What the executor needs of the world. */
export interface ExecutorPorts {
  readonly tools: RoleTools;
  readonly scope: Omit<ToolContext, "call_id" | "signal" | "isCancelled" | "role">;
  readonly signal: AbortSignal;
  emit(body: EventBody): void;
  now(): number;
  /** SHA-256 (16 hex digits) of a file's bytes; null when there is none. */
  hashFile(path: string): Promise<string | null>;
  /** The same, and keeps the bytes under that hash where they are not too many: what a call overwrites can be looked up. */
  keepFile(path: string): Promise<string | null>;
  hashText(text: string): string;
  /**
   * Asks the user about a call, in mode `ask`; null: nobody can be asked.
   * @throws {AgentError} kind `cancelled` when the signal aborts before there is an answer.
   */
  readonly confirm: ((asked: Asked, signal: AbortSignal) => Promise<Verdict>) | null;
  /** Null: there are none. */
  readonly hooks: Hooks | null;
  /** Places for calls that start processes, over the whole tree. */
  readonly processes: Slots;
  intend(intent: Intent): Promise<void>;
  /** Of the turn. */
  readonly receipts: ReceiptBook;
}

/** What the executor knows of a call that the user is asked about. */
export type Asked = Omit<ConfirmRequest, "task">;

/** A call on its way through the chain; each step hands an enriched copy to the next. */
export interface Work {
  readonly call: ToolCall;
  readonly args: unknown;
  readonly tool: AnyTool | null;
  readonly signal: AbortSignal;
  /** Why a hook wants the user asked before it runs; null: none does. */
  readonly doubt: string | null;
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

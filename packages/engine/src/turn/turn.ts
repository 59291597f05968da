import { cancelReason } from "@smith/contract/cancel";
import { type AgentError, cancelledError, toAgentError } from "@smith/contract/error";
import type { AssistantMessage, Message, ToolCall, TranscriptMessage } from "@smith/contract/message";
import type { ToolResult } from "@smith/contract/tool";
import type { StopReason } from "@smith/contract/turn";
import { createBudget, type Limits } from "./budget.ts";
import { cutError, notRun, toolMessage } from "./results.ts";

/** A model's answer, or what there is of one. A turn appends the message and goes on only without an error. */
export interface Answer {
  readonly message: AssistantMessage | null;
  readonly error: AgentError | null;
  /** The output limit cut it: its calls must not run. */
  readonly cut: boolean;
}

/** What the loop needs of the world; none of these throws. */
export interface TurnPorts {
  ask(transcript: readonly Message[], round: number): Promise<Answer>;
  /** Calls `deliver` exactly once per call, in call order, as soon as that result and all before it are there. */
  runTools(calls: readonly ToolCall[], deliver: (result: ToolResult) => Promise<void>): Promise<void>;
  append(message: TranscriptMessage): Promise<void>;
}

export interface TurnStart {
  readonly turn_id: string;
  /** What the model has seen so far, the user's new line last. Never changed. */
  readonly history: readonly Message[];
  readonly limits: Limits;
  readonly signal: AbortSignal;
  now(): number;
}

export interface TurnEnd {
  readonly stop_reason: StopReason;
  readonly error: AgentError | null;
  readonly which: "tool_step_budget" | "max_rounds" | null;
  readonly rounds: number;
  /** Calls that reached a handler. */
  readonly tool_calls: number;
}

/** The loop: ask, append, run the calls, append their results, until there is nothing left to run. Never throws. */
export async function runTurn(start: TurnStart, ports: TurnPorts): Promise<TurnEnd> {
  const run = openRun(start, ports);
  try {
    for (let round = 1; ; round++) {
      if (start.signal.aborted) return run.end("cancelled", { error: cancelledError(cancelReason(start.signal)) });
      if (run.budget.roundsSpent(round - 1)) return run.end("budget_exhausted", { which: "max_rounds" });
      const answer = await run.ask(round);
      if (answer.error !== null) return run.end(endOf(answer.error), { error: answer.error });
      const calls = answer.message?.tool_calls ?? [];
      if (calls.length === 0) return run.end("completed");
      const ending = answer.cut ? await run.refuseCut(calls) : await run.runCalls(calls);
      if (ending !== null) return ending;
    }
  } catch (thrown) {
    return run.end("error", { error: toAgentError(thrown, "engine/turn") }); // a port broke its word: still a result
  }
}

const endOf = (error: AgentError): StopReason => (error.kind === "cancelled" ? "cancelled" : "error");

/** Answers cut by the output limit in a row before the turn gives up: asking the same again brings the same. */
const CUTS_IN_A_ROW = 3;

/** What one run of the loop gathers: its transcript, its counts, and the answers to its calls. */
function openRun(start: TurnStart, ports: TurnPorts) {
  const transcript: Message[] = [...start.history];
  const budget = createBudget(start.limits);
  const count = { rounds: 0, ran: 0, cuts: 0 };

  const end = (stop_reason: StopReason, rest: Partial<TurnEnd> = {}): TurnEnd => ({
    stop_reason,
    error: null,
    which: null,
    rounds: count.rounds,
    tool_calls: count.ran,
    ...rest,
  });
  const append = async (message: TranscriptMessage) => {
    transcript.push(message);
    await ports.append(message);
  };
  const answerCall = (result: ToolResult) =>
    append(toolMessage(result, { turn_id: start.turn_id, round: count.rounds, ts: start.now() }));

  return {
    budget,
    end,
    async ask(round: number): Promise<Answer> {
      count.rounds = round;
      const answer = await ports.ask(transcript, round);
      if (answer.message !== null) await append(answer.message);
      return answer;
    },
    async runCalls(calls: readonly ToolCall[]): Promise<TurnEnd | null> {
      count.cuts = 0;
      const { run, refused } = budget.take(calls); // counted in call order before anything starts
      let terminal = false;
      await ports.runTools(run, async (result) => {
        if (result.ran) count.ran++;
        terminal ||= result.terminal;
        await answerCall(result);
      });
      for (const call of refused) await answerCall(notRun(call, "budget"));
      if (terminal) return end("completed");
      return refused.length > 0 ? end("budget_exhausted", { which: "tool_step_budget" }) : null;
    },
    async refuseCut(calls: readonly ToolCall[]): Promise<TurnEnd | null> {
      for (const call of calls) await answerCall(notRun(call, "cut"));
      count.cuts++;
      return count.cuts < CUTS_IN_A_ROW ? null : end("error", { error: cutError() });
    },
  };
}

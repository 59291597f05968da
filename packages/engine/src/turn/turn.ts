import { cancelReason } from "@smith/contract/cancel";
import { type AgentError, cancelledError, toAgentError } from "@smith/contract/error";
import type { AssistantMessage, Message, ToolCall, TranscriptMessage } from "@smith/contract/message";
import type { StopReason } from "@smith/contract/stop";
import type { ToolResult } from "@smith/contract/tool";
import { createBudget, type Limits } from "./budget.ts";
import { cutError, isBadReport, notRun, toolMessage } from "./results.ts";

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
  /** Lines of the user's that came in meanwhile; each is handed out once. */
  interject(): readonly string[];
}

export interface TurnStart {
  readonly turn_id: string;
  /** What the model has seen so far, the user's new line last. Never changed. */
  readonly history: readonly Message[];
  readonly limits: Limits;
  /** Rounds the turn has had before, for numbering. */
  readonly rounds_before: number;
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
      const stopped = await run.stopBefore(round);
      if (stopped !== null) return stopped;
      const answer = await run.ask(round);
      if (answer.error !== null) return run.end(endOf(answer.error), { error: answer.error });
      const calls = answer.message?.tool_calls ?? [];
      if (calls.length === 0 && !(await run.interject(round))) return run.end("completed");
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

/** Reports that do not fit before the turn ends without one: more would only repeat them. */
export const REPORT_TRIES = 3;

/** What one run of the loop gathers: its transcript, its counts, and the answers to its calls. */
function openRun(start: TurnStart, ports: TurnPorts) {
  const transcript: Message[] = [...start.history];
  const budget = createBudget(start.limits);
  const count = { rounds: 0, ran: 0, cuts: 0, badReports: 0 };

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
    append(toolMessage(result, { turn_id: start.turn_id, round: start.rounds_before + count.rounds, ts: start.now() }));

  return {
    end,
    /** The end of the turn when no further round may begin; else null, and waiting lines are put in. */
    async stopBefore(round: number): Promise<TurnEnd | null> {
      if (start.signal.aborted) return end("cancelled", { error: cancelledError(cancelReason(start.signal)) });
      if (budget.roundsSpent(round - 1)) return end("budget_exhausted", { which: "max_rounds" });
      await this.interject(round);
      return null;
    },
    /** Puts waiting lines in as user messages; true when there were any. */
    async interject(round: number): Promise<boolean> {
      const lines = ports.interject();
      const place = { turn_id: start.turn_id, round: start.rounds_before + round };
      for (const content of lines) await append({ role: "user", content, ...place, ts: start.now() });
      return lines.length > 0;
    },
    async ask(round: number): Promise<Answer> {
      count.rounds = round;
      const answer = await ports.ask(transcript, start.rounds_before + round);
      if (answer.message !== null) await append(answer.message);
      return answer;
    },
    async runCalls(calls: readonly ToolCall[]): Promise<TurnEnd | null> {
      count.cuts = 0;
      const { run, refused } = budget.take(calls); // counted in call order before anything starts
      const late = new Set(refused);
      let at = 0;
      let terminal = false;
      /** Results are appended in call order: the refused ones between those that ran. */
      const answerLate = async () => {
        for (let call = calls[at]; call !== undefined && late.has(call); call = calls[++at])
          await answerCall(notRun(call, "budget"));
      };
      await answerLate();
      await ports.runTools(run, async (result) => {
        if (result.ran) count.ran++;
        terminal ||= result.terminal;
        if (isBadReport(result)) count.badReports++;
        await answerCall(result);
        at++;
        await answerLate();
      });
      if (terminal || count.badReports >= REPORT_TRIES) return end("completed");
      return refused.length > 0 ? end("budget_exhausted", { which: "tool_step_budget" }) : null;
    },
    async refuseCut(calls: readonly ToolCall[]): Promise<TurnEnd | null> {
      for (const call of calls) await answerCall(notRun(call, "cut"));
      count.cuts++;
      return count.cuts < CUTS_IN_A_ROW ? null : end("error", { error: cutError() });
    },
  };
}

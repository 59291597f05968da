import { cancelReason, checkCancelled } from "@smith/contract/cancel";
import { type Confirm, type ConfirmRequest, Verdict } from "@smith/contract/confirm";
import { AgentError, cancelledError } from "@smith/contract/error";
import { snapshot } from "@smith/contract/freeze";
import { createSlots, type TurnEffects } from "@smith/engine";
import { z } from "zod";

/** What a session asks its user in mode `ask`. */
export interface Questions {
  /** Of one turn; `task`: what its job is for. Null: nobody can be asked. */
  forTurn(task: string | null): TurnEffects["confirm"];
  /** Ms for which a question has stood so far, the one that stands now counted in. */
  askedMs(): number;
}

/** Calls side by side, and jobs, ask one after the other; what is allowed for good is not asked again, by nobody. */
export function createQuestions(ask: Confirm | null, now: () => number): Questions {
  const always = new Set<string>();
  const turn = createSlots(() => 1);
  let total = 0;
  let since: number | null = null;
  const put = async (request: ConfirmRequest, signal: AbortSignal, asker: Confirm): Promise<Verdict> => {
    if (always.has(keyOf(request)) && request.fault === null) return YES; // allowed while it waited
    since = now();
    try {
      const verdict = readVerdict(await untilAborted(asker(request, signal), signal));
      checkCancelled(signal); // an answer that comes with the cancel starts nothing
      if (verdict.verdict === "always") always.add(keyOf(request));
      return verdict;
    } finally {
      total += now() - since;
      since = null;
    }
  };
  return Object.freeze({
    forTurn(task: string | null): TurnEffects["confirm"] {
      if (ask === null) return null;
      return async (asked, signal) => {
        if (always.has(keyOf(asked)) && asked.fault === null) return YES;
        // A copy, frozen: what is shown is what runs.
        const request = snapshot({ ...asked, task });
        return turn.run(signal, () => put(request, signal, ask));
      };
    },
    askedMs: () => total + (since === null ? 0 : now() - since),
  });
}

/** What is always allowed: a tool; and of what hooks doubt, what they doubt for the same reason. */
const keyOf = ({ tool, doubt }: Pick<ConfirmRequest, "tool" | "doubt">): string => JSON.stringify([tool, doubt]);

const YES: Verdict = Object.freeze({ verdict: "yes" });

/** A door that does not take its question away can't hold the turn. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(cancelledError(cancelReason(signal), "runtime/questions"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** @throws {AgentError} `policy`/`not_confirmed`: an answer that is none is no yes. */
function readVerdict(answer: unknown): Verdict {
  const read = Verdict.safeParse(answer);
  if (read.success) return read.data;
  throw new AgentError({
    kind: "policy",
    code: "not_confirmed",
    origin: "runtime/questions",
    message: `The confirmation was answered by what is no verdict, so the call was not run: ${z.prettifyError(read.error).replaceAll("\n", " ")}`,
  });
}

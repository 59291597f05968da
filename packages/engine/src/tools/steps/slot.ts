import { AgentError } from "@smith/contract/error";
import type { Step } from "../work.ts";
import { refusal } from "./refusal.ts";

/** A call that starts processes waits for one of the tree's places. The wait is not the call's own time; a cancel ends it. */
export const slot: Step = async (work, next, ports) => {
  if (work.tool?.uses_process !== true) return next(work);
  try {
    return await ports.processes.run(work.signal, () => next(work));
  } catch (thrown) {
    if (thrown instanceof AgentError && thrown.kind === "cancelled") return refusal(thrown); // it never began
    throw thrown;
  }
};

/** How a turn, the user's or a job's, came to its end. */
export type StopReason = "completed" | "cancelled" | "error" | "budget_exhausted";

/** The stored conversation of a job; its id holds no `:`, whatever its parent's is. */
export const jobConversation = (job_id: string): string => `job-${job_id}`;

/** The job whose conversation it is; null for one of the user's. */
export const jobIn = (conversation_id: string): string | null =>
  conversation_id.startsWith(jobConversation("")) ? conversation_id.slice(jobConversation("").length) : null;

/** The note in it that holds what became of the job. */
export const OUTCOME = "outcome";

/** The stored conversation of a job; its id holds no `:`, whatever its parent's is. */
export const jobConversation = (job_id: string): string => `job-${job_id}`;

/** The note in it that holds what became of the job. */
export const OUTCOME = "outcome";

/** The roles that jobs are for; they never answer the user. */
export const TARGET_ROLES = ["worker", "explorer"] as const;
export type TargetRole = (typeof TARGET_ROLES)[number];

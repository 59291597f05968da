/** The built-in roles that jobs are for; they never answer the user. A custom role of theirs is a target, too. */
export const TARGET_ROLES = ["worker", "explorer"] as const;
export type TargetRole = (typeof TARGET_ROLES)[number];

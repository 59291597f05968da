import { z } from "zod";

/** A call that the user is asked about, before anything of it runs. Plain data. */
export interface ConfirmRequest {
  readonly tool: string;
  /** As they would run: checked, defaults filled in; after an edit that did not fit, what was edited. */
  readonly args: unknown;
  /** Whose call it is. */
  readonly role: string;
  /** The job it belongs to, and what that job is for; null in a turn of the user's own. */
  readonly job_id: string | null;
  readonly task: string | null;
  readonly cwd: string;
  /** Absolute paths the call would change; null: they can't be known before. */
  readonly files: readonly string[] | null;
  /** Why a hook wants it asked, whatever the mode; null: the mode does. */
  readonly doubt: string | null;
  /** Why the edited arguments did not fit; null when nothing was edited. */
  readonly fault: string | null;
}

/** What the user says to a call. `always` is for every call of this tool, by its full name, until the session ends. */
export const Verdict = z.discriminatedUnion("verdict", [
  z.strictObject({
    verdict: z.literal("yes"),
    /** In place of the model's arguments. */
    args: z.unknown().optional(),
  }),
  z.strictObject({ verdict: z.literal("always") }),
  z.strictObject({
    verdict: z.literal("no"),
    /** For the model. */
    message: z.string().optional(),
  }),
]);
export type Verdict = z.infer<typeof Verdict>;

/** Asks the user. The signal aborts when the answer does not matter any more: the question is to be taken away then. */
export type Confirm = (request: ConfirmRequest, signal: AbortSignal) => Promise<Verdict>;

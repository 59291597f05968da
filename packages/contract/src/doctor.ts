/** One thing that was looked at. Not ok: something needed is broken. Ok with a mend: it works, and could be better. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null: nothing. */
  readonly mend: string | null;
}

export interface DoctorHost {
  /** Never rejects. */
  checks(): Promise<readonly Check[]>;
}

import type { Lease } from "./codec.ts";
import type { Kv } from "./kv.ts";

/** What the parts of the store work with. */
export interface Access {
  readonly kv: Kv;
  /** This process, as it signs its turns. */
  readonly lease: Lease;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs one operation.
   * @throws {AgentError} always of this class: SQLite's errors become kind `persistence`; code `closed` after the store was.
   */
  run<T>(work: () => T): Promise<T>;
}

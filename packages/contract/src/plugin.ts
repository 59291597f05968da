/** An entry of `plugins`, as `--json` has it. */
export interface PluginRow {
  readonly entry: string;
  /** Null: it could not be loaded. */
  readonly name: string | null;
  readonly version: string | null;
  /** Null also for one that is part of Smith. */
  readonly file: string | null;
  /** Who may call its tools. */
  readonly roles: readonly string[];
  readonly tools: readonly string[];
  readonly hooks: readonly string[];
  /** What of it could not be had, a sentence each. */
  readonly errors: readonly string[];
}

export interface PluginsHost {
  /** Loads them, if nothing has yet. Never rejects. */
  list(): Promise<readonly PluginRow[]>;
  /** What could not be had of them and was not told yet, a sentence each. */
  warnings(): Promise<readonly string[]>;
  /**
   * Loads them, if one of them is `required`.
   * @throws {AgentError} `policy`/`required_plugin` when such a one can't be had: nothing runs then.
   */
  ready(): Promise<void>;
}

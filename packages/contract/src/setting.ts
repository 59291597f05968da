/** A configuration value with where it comes from. */
export interface Explained {
  readonly path: string;
  /** The effective value, secrets masked; null when unset. */
  readonly value: unknown;
  /** The layer that decides; null when unset everywhere. */
  readonly winner: string | null;
  readonly layers: readonly {
    readonly layer: string;
    readonly value: unknown;
    readonly file: string | null;
    readonly line: number | null;
  }[];
}

export interface ConfigHost {
  /** The effective value at a path, secrets masked; undefined when unset. */
  get(path: string | null): unknown;
  explain(path: string): Promise<Explained>;
  /** Persists one leaf. @throws {AgentError} `schema`/`config`; nothing is written then. */
  set(path: string, text: string): Promise<void>;
  unset(path: string): Promise<void>;
  paths(): readonly { readonly path: string; readonly overridable: boolean; readonly description: string }[];
  files(): Readonly<Record<string, string | null>>;
}

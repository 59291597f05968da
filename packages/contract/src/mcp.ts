/** An MCP server as it stands now. */
export interface McpRow {
  /** As the configuration calls it. */
  readonly name: string;
  readonly transport: "stdio" | "http";
  /** Its command or address, without what its variables hold. */
  readonly from: string;
  /** What it calls itself, with its version; empty until it was reached. */
  readonly server: string;
  /** Who may call its tools. */
  readonly roles: readonly string[];
  /** `off`: the configuration has it disabled. */
  readonly status: "ready" | "starting" | "failed" | "idle" | "off";
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  readonly tools: readonly {
    /** As the model calls it. */
    readonly name: string;
    /** As the server calls it. */
    readonly tool: string;
    readonly side_effects: "none" | "some";
  }[];
  /** What the server lists and nobody is offered. */
  readonly left_out: readonly { readonly tool: string; readonly why: string }[];
}

export interface McpHost {
  /** Every configured server, after those that are enabled were started or waited for. Never rejects. */
  list(): Promise<readonly McpRow[]>;
}

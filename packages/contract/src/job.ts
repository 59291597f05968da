/** A job of this session, running or done. */
export interface JobRow {
  readonly job_id: string;
  readonly role: string;
  readonly task: string;
  /** `running`, or what it came to. */
  readonly status: "running" | "ok" | "partial" | "blocked" | "cancelled";
  /** The tool it runs just now; null between tools and when done. */
  readonly tool: string | null;
  readonly elapsed_ms: number;
}

/** A command that bash was told to run in the background. */
export interface BackgroundRow {
  /** `bg1` */
  readonly name: string;
  readonly command: string;
  /** `running`, `exit 0`, `exit 137, SIGKILL`, `killed`, `cancelled` or `timeout`. */
  readonly status: string;
  readonly elapsed_ms: number;
}

export interface JobsHost {
  /** In the order they began; the last 100. */
  list(): readonly JobRow[];
  /** The commands in the background, in the order they began: all that run, and the last that ended. */
  background(): readonly BackgroundRow[];
}

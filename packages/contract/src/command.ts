import type { ModelsHost } from "./catalog.ts";
import type { DoctorHost } from "./doctor.ts";
import type { InspectHost } from "./inspect.ts";
import type { JobsHost } from "./job.ts";
import type { McpHost } from "./mcp.ts";
import type { MemoryHost } from "./memory.ts";
import type { PluginsHost } from "./plugin.ts";
import type { PolicyHost } from "./policy.ts";
import type { SessionHost, SessionsHost } from "./session.ts";
import type { ConfigHost } from "./setting.ts";
import type { TurnAs } from "./turn.ts";
import type { UsageHost } from "./usage.ts";
import type { UserCommandsHost } from "./user-command.ts";

/** What a command comes to. The door acts on it; a command never draws, exits or runs a turn itself. */
export interface CommandAnswer {
  /** Lines for people; may be empty. */
  readonly say: string;
  /** The same as data, for `--json`. */
  readonly data?: unknown;
  /** What `data` does not tell and its reader should know, a sentence each; `say` has it in its lines. */
  readonly notes?: readonly string[];
  /** Text to run as a turn, and as whom; for that turn only. */
  readonly turn?: {
    readonly text: string;
    /** What it refers to is in it already. */
    readonly literal?: boolean;
  } & TurnAs;
  /** Text to put into the editor. */
  readonly draft?: string;
  /** What a terminal shows in full in place of `say`: a conversation, or that text. */
  readonly view?: { readonly kind: "transcript" | "inspect" } | { readonly kind: "text"; readonly title: string };
  /** Leave, with this code. */
  readonly exit?: number;
  /** False: it did not do what was asked. `say` tells why. */
  readonly ok?: boolean;
  /** The call did not fit the command's usage. */
  readonly misuse?: boolean;
}

/** What commands work on; the runtime gives it. */
export interface CommandHost {
  readonly config: ConfigHost;
  readonly session: SessionHost;
  readonly policy: PolicyHost;
  readonly jobs: JobsHost;
  readonly sessions: SessionsHost;
  readonly inspect: InspectHost;
  readonly memory: MemoryHost;
  readonly usage: UsageHost;
  readonly models: ModelsHost;
  readonly doctor: DoctorHost;
  readonly mcp: McpHost;
  readonly plugins: PluginsHost;
  readonly user_commands: UserCommandsHost;
}

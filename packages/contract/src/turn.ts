import type { Mode } from "./config.ts";
import type { CancelAccount, DispatchResult } from "./dispatch.ts";
import type { AgentErrorData } from "./error.ts";
import type { NoticeLevel } from "./event.ts";
import type { TranscriptMessage } from "./message.ts";
import type { Usage } from "./model.ts";
import type { StopReason } from "./stop.ts";

export interface Notice {
  readonly level: NoticeLevel;
  readonly text: string;
}

/** What a turn came to; `docs/API.md` says each field. `messages` is in the API's return value only, never printed. */
export interface TurnResult {
  readonly stop_reason: StopReason;
  readonly text: string;
  readonly turn_id: string;
  readonly conversation_id: string;
  readonly role: string;
  readonly model: string;
  readonly provider: string;
  readonly rounds: number;
  readonly tool_calls: number;
  readonly duration_ms: number;
  readonly usage: Usage & { readonly children: Readonly<Record<string, unknown>> };
  /** Nested jobs too, flat. */
  readonly dispatches: readonly DispatchResult[];
  readonly cancel: CancelAccount | null;
  readonly error: AgentErrorData | null;
  readonly persisted: boolean;
  readonly notices: readonly Notice[];
  readonly messages: readonly TranscriptMessage[];
  /** The answer as `output_schema` made it; null when there is none that fits. Absent where nothing was asked for. */
  readonly output?: unknown;
}

/** What a single turn runs as, other than the session does; null: as the session. */
export interface TurnAs {
  readonly model: string | null;
  readonly role: string | null;
  /** Can only narrow the session's. */
  readonly mode: Mode | null;
}

import type { AgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { TranscriptMessage } from "@smith/contract/message";
import type { EventBus, ReceiptBook, Slots, TreeWatch } from "@smith/engine";
import type { Pictures } from "./input.ts";
import type { Mirror } from "./mirror.ts";
import type { ModelChoice } from "./models.ts";
import type { TurnHooks } from "./plugins/hooks.ts";
import type { PluginsAtHand } from "./plugins/public.ts";
import type { FindProject } from "./project.ts";
import type { Questions } from "./questions.ts";
import type { Scope } from "./scope.ts";
import type { Services } from "./services.ts";
import type { Skills } from "./skills.ts";
import type { UsageTracker } from "./usage.ts";

/** A running turn as its calls see it. */
export interface RunningSeat {
  emit(body: EventBody): void;
  /** Places for the jobs it hands out. */
  readonly children: Slots;
  readonly receipts: ReceiptBook;
  readonly hooks: TurnHooks | null;
  /** True the first time it is asked. */
  once(): boolean;
}

export const seatKey = (place: { readonly conversation_id: string; readonly turn_id: string }): string =>
  `${place.conversation_id}/${place.turn_id}`;

/** What is the same for every turn of a runtime. */
export interface TurnWorld {
  readonly session_id: string;
  readonly services: Services;
  readonly bus: EventBus;
  /** Of the whole session. */
  readonly usage: UsageTracker;
  /** Places for calls that start processes, over the whole tree. */
  readonly processes: Slots;
  /** What the user is asked in mode `ask`. */
  readonly questions: Questions;
  /** Finds out what commands change; the disk is shared by all turns. */
  readonly watch: TreeWatch;
  /** The turns that run now, by their place; a call finds its own turn here. */
  readonly seats: Map<string, RunningSeat>;
  readonly pictures: Pictures;
  /** The skills of the user's and of a turn's project, as they are now. Never rejects. */
  skills(scope: Scope): Promise<Skills>;
  readonly plugins: PluginsAtHand;
  /** Where sessions are written along; loaded when it is first asked for. */
  mirror(): Promise<Mirror>;
  /** What the jobs that run, or have just ended, have said and were shown; taken out by whoever checks it. */
  readonly transcripts: Map<string, readonly TranscriptMessage[]>;
  /** Why nothing of this session is saved; null when it is. */
  readonly unsaved: AgentError | null;
  /** Those of the sentences that this session has not said yet; from now on they count as said. */
  untold(sentences: readonly string[]): readonly string[];
  now(): number;
  cwd(): string;
  /** The role that answers the user. */
  role(): string;
  /** Of the working directory as it is now. */
  projectId(): string;
  readonly findProject: FindProject;
  /** The model of a role, the flag's model counted in. */
  choose(role: string): Promise<ModelChoice>;
}

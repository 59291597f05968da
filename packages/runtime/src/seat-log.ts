import type { AgentError } from "@smith/contract/error";
import type { EventBody, EventSource } from "@smith/contract/event";
import type { TranscriptMessage, UserMessage } from "@smith/contract/message";
import type { Notice } from "@smith/contract/turn";
import { createGathered, createReceiptBook, type Edges, type TurnEnd } from "@smith/engine";
import { endEvent } from "./ends.ts";
import { hash16 } from "./hash.ts";
import type { Journal } from "./journal.ts";
import { keepOutput } from "./kept-outputs.ts";
import type { ModelChoice } from "./models.ts";
import { createUsage } from "./usage.ts";
import type { TurnWorld } from "./world.ts";

export type Answerer = Pick<ModelChoice, "model" | "provider">;

export type Log = ReturnType<typeof createLog>;

/** Of the seat, what its log has to know. */
export interface LogSpec {
  readonly job_id: string | null;
  readonly choice: ModelChoice;
  readonly source?: EventSource;
  readonly notices?: readonly Notice[];
}

/** What a turn gathers while it runs. */
export function createLog(spec: LogSpec, user: UserMessage, world: TurnWorld) {
  const messages: TranscriptMessage[] = [user];
  const notices: Notice[] = [...(spec.notices ?? [])];
  let answerer: Answerer = spec.choice;
  let edges: Edges | null = null;
  const onEdges = (moved: Edges) => {
    edges = moved;
  };
  const emit = (body: EventBody) => {
    if (body.type === "notice") notices.push({ level: body.level, text: body.text });
    if (body.type === "llm_request_completed") answerer = { model: body.model, provider: body.provider };
    world.bus.emit(user.turn_id, body, sourceOf(body, spec.source));
  };
  const answeredBy = (): Answerer => ({ model: answerer.model, provider: answerer.provider });
  const receipts = createReceiptBook({
    ...{ job_id: spec.job_id, watch: world.watch, hashText: hash16 },
    keep: (output) => keepOutput(output, world.services.persistence),
  });
  return {
    user,
    messages,
    notices,
    usage: createUsage(),
    gathered: createGathered(),
    receipts,
    emit,
    answeredBy,
    onEdges,
    edges: () => edges,
  };
}

/** An event about a job names that job; whose event it is then stands in the role and the parent's turn alone. */
const sourceOf = (body: EventBody, source: EventSource | undefined): EventSource | undefined =>
  source === undefined || !("job_id" in body) ? source : { ...source, job_id: body.job_id };

interface TurnParts {
  readonly log: Log;
  readonly journal: Journal;
}

/** Writes the end of a turn and tells of it; false when it could not be saved. */
export async function closeTurn(end: TurnEnd, { log, journal }: TurnParts, world: TurnWorld): Promise<boolean> {
  log.emit(endEvent(end));
  const children = log.gathered
    .dispatches()
    .map(({ job_id, target_role, usage }) => ({ job_id, role: target_role, usage }));
  for (const { role, usage } of children) log.usage.addChild(role, usage);
  const { stop_reason, rounds, tool_calls } = end;
  const closing = {
    ...{ ts: world.now(), stop_reason, ...log.answeredBy(), rounds, tool_calls },
    ...{ usage: log.usage.total(), children, receipts: log.receipts.rest() },
  };
  const unsaved = (await journal.close(closing)) ?? world.unsaved?.toJSON() ?? null;
  if (unsaved !== null) {
    log.emit({ type: "notice", level: "error", text: `The turn was answered but not saved: ${unsaved.message}` });
  }
  log.emit(unsaved === null ? { type: "turn_persisted" } : { type: "turn_persist_failed", error: unsaved });
  return unsaved === null;
}

/** Closes a turn that can't be played. */
export const failTurn = (error: AgentError, parts: TurnParts, world: TurnWorld) =>
  closeTurn({ stop_reason: "error", error, which: null, rounds: 0, tool_calls: 0 }, parts, world);

/** Ms that the end of a turn waits for what its commands changed; a cancelled one has to be quick. */
const SETTLE_MS = 2000;
const SETTLE_CANCELLED_MS = 150;

/** Waits, not for long, until it is known what the turn's commands changed. */
export async function settle({ receipts, gathered }: Log, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, signal.aborted ? SETTLE_CANCELLED_MS : SETTLE_MS);
  });
  await Promise.race([receipts.settled(), late]);
  clearTimeout(timer);
  gathered.onReceipts(receipts.list());
}

import type { EventBody } from "@smith/contract/event";
import type { Message } from "@smith/contract/message";
import type { Usage } from "@smith/contract/model";
import type { TurnRequest } from "./engine.ts";
import { seedSystem } from "./prompt/assemble.ts";
import { createSummariser } from "./turn/compact.ts";
import type { Edges } from "./turn/edges.ts";
import { type Compacted, createFraming, type Framing, type FramingOptions } from "./turn/framing.ts";
import type { Standing } from "./turn/view.ts";
import { createWindow } from "./turn/window.ts";

export interface FramingEffects {
  emit(body: EventBody): void;
  onUsage(usage: Usage): void;
  /** What runs in the background, a line each. */
  openJobs?(): readonly string[];
}

/** Of a turn, what its window needs. */
export type WindowRequest = LookRequest & Pick<TurnRequest, "chat" | "model" | "sampling" | "signal">;

/** The window of a request: what its turn would send, fitted and summarised. */
export const openWindow = (request: WindowRequest, effects: FramingEffects): Framing =>
  createFraming(framingOf(request), {
    emit: effects.emit,
    summarise: createSummariser({ ...request, ...effects, transcript_chars: request.framing.compact.transcript_chars }),
  });

/** The specs go with each request, so they count. */
const framingOf = ({ framing, tools }: Pick<TurnRequest, "framing" | "tools">): FramingOptions => ({
  ...framing,
  settings: { ...framing.settings, overhead: specTokens(tools) },
});

const specTokens = ({ specs }: TurnRequest["tools"]): number => Math.ceil(JSON.stringify(specs).length / 4);

/**
 * Summarises all but the newest messages of a conversation, outside of a turn.
 * @throws {AgentError} `policy`/`nothing_to_compact`; `cancelled`; what the model's request threw.
 */
export async function compactNow(
  request: WindowRequest,
  focus: string | null,
  effects: FramingEffects,
): Promise<Compacted & { readonly edges: Edges }> {
  const window = openWindow(request, effects);
  const done = await window.compact(transcriptOf(request), focus);
  return { ...done, edges: window.edges() };
}

/** A message that is not sent as it is. */
export interface OutRow {
  readonly message: Message;
  readonly standing: Exclude<Standing, "sent">;
  readonly chars: number;
  /** The call that brings it back; null: none does. */
  readonly key: string | null;
}

/** What the next request of a conversation would hold, before the user's line. */
export interface ContextLook {
  /** As sent, without the system message. */
  readonly messages: readonly Message[];
  readonly out: readonly OutRow[];
  /** Tokens as estimated, calibrated by what the provider counted last. */
  readonly tokens: {
    readonly system: number;
    readonly tools: number;
    readonly messages: number;
    readonly total: number;
  };
  /** Characters of the summary that is sent; null: there is none. */
  readonly summary_chars: number | null;
}

export type LookRequest = Pick<TurnRequest, "history" | "system_prompt" | "tools" | "framing">;

/** Looks only: nothing is summarised, no edge is kept. */
export function lookAtContext(request: LookRequest): ContextLook {
  const { settings, keys, edges: before, cold } = framingOf(request);
  const window = createWindow(settings, keys);
  const transcript = transcriptOf(request);
  const fitted = window.fit(transcript, before, cold);
  const out = window.standings(transcript, fitted.edges).flatMap(({ standing, chars }, index): readonly OutRow[] => {
    const message = transcript[index];
    if (message === undefined || standing === "sent") return [];
    const output = standing === "elided" && message.role === "tool";
    return [{ message, standing, chars, key: output ? keys.output(index, message) : keys.round(message) }];
  });
  const calibrated = (tokens: number) => Math.round(tokens * before.ratio);
  const system = Math.ceil(request.system_prompt.length / 4);
  const tokens = {
    system: calibrated(system),
    tools: calibrated(settings.overhead),
    messages: calibrated(fitted.estimate - system),
    total: calibrated(fitted.estimate + settings.overhead),
  };
  return { messages: fitted.messages.slice(1), out, tokens, summary_chars: fitted.edges.summary?.text.length ?? null };
}

const transcriptOf = ({ history, system_prompt }: Pick<TurnRequest, "history" | "system_prompt">): readonly Message[] =>
  seedSystem(history, system_prompt);

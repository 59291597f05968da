import { createCancel } from "@smith/contract/cancel";
import type { Mode } from "@smith/contract/config";
import type { EventBody } from "@smith/contract/event";
import type { Message, ToolCall, TranscriptMessage } from "@smith/contract/message";
import { type ChatDelta, type ChatModel, type ChatReply, type ChatRequest, UNKNOWN_USAGE } from "@smith/contract/model";
import type { Receipt } from "@smith/contract/receipt";
import type { Intent } from "@smith/contract/store";
import type { AnyTool, Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import {
  blindWatch,
  createReceiptBook,
  createRoles,
  createSlots,
  createToolRegistry,
  decide,
  type Limits,
  NO_EDGES,
  playTurn,
  type TurnEffects,
  type TurnEnd,
  type WindowSettings,
} from "../src/index.ts";

/** What the scripted model answers in one round. */
export type Answer =
  | string
  | readonly ToolCall[]
  | Partial<ChatReply>
  | Error
  | ((stream: (delta: ChatDelta) => void, signal: AbortSignal) => Promise<never>);

export const call = (id: string, name: string, args: unknown = {}): ToolCall => ({
  id,
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});

/** A tool that says `<name> done`, or what `run` says. */
export const tool = (name: string, parts: Partial<Tool<Record<string, unknown>>> = {}): AnyTool => ({
  name,
  description: name,
  schema: z.looseObject({}),
  side_effects: "none",
  run: async (): Promise<ToolOutcome> => ({ ok: true, content: `${name} done` }),
  ...parts,
});

export interface SceneOptions {
  readonly answers: readonly Answer[];
  readonly tools?: readonly AnyTool[];
  readonly limits?: Partial<Limits>;
  readonly empty_retry?: { readonly max_retries: number; readonly backoff_ms: readonly number[] };
  readonly role?: string;
  readonly history?: readonly Message[];
  /** Lines that wait for the next round. */
  readonly lines?: string[];
  readonly processes?: number;
  readonly mode?: Mode;
  /** Answers what mode `ask` asks; absent: nobody can be asked. */
  readonly confirm?: TurnEffects["confirm"];
  readonly hooks?: TurnEffects["hooks"];
  readonly hashes?: Readonly<Record<string, string | null>>;
  onEvent?(body: EventBody, cancel: (reason: string) => void): void;
}

export interface Played {
  readonly end: TurnEnd;
  readonly added: readonly TranscriptMessage[];
  readonly events: readonly EventBody[];
  readonly requests: readonly ChatRequest[];
  readonly intents: readonly Intent[];
  readonly receipts: readonly Receipt[];
}

const user: Message = { role: "user", content: "go", turn_id: "t1", round: 0, ts: 0 };

/** Scenes make up tools: every name has a row, and only a tool's own lists deny. */
const judge: typeof decide = (role, name, options, made) => {
  const verdict = decide(role, "read", options, made);
  return { ...verdict, rule: verdict.rule.replaceAll("read", name) };
};

/** A window that leaves everything in. */
const NO_COMPACT = { enabled: false, keep_messages: 8, transcript_chars: 24_000 };
const NO_KEYS = { output: () => null, round: () => null };
const UNLIMITED: WindowSettings = {
  ...{ enabled: false, keep_rounds: 7, elide_over_chars: 1024, elide_step: 2, overhead: 0 },
  ...{ threshold_pct: 80, drop_to_pct: 60, context_window: 128_000 },
};

/** Plays one turn of the engine over an in-process model that answers from the list. */
export async function play(options: SceneOptions): Promise<Played> {
  const requests: ChatRequest[] = [];
  const added: TranscriptMessage[] = [];
  const events: EventBody[] = [];
  const intents: Intent[] = [];
  const receipts = createReceiptBook({
    ...{ job_id: null, watch: blindWatch("no tree"), hashText: String },
    keep: async () => null,
  });
  using cancel = createCancel();
  const emit = (body: EventBody) => {
    events.push(body);
    options.onEvent?.(body, cancel.request);
  };
  const end = await playTurn(
    {
      system_prompt: "Be brief.",
      history: options.history ?? [user],
      chat: scripted(options.answers, requests),
      model: "m",
      sampling: {},
      tools: createToolRegistry(options.tools ?? [], judge).forRole(createRoles().resolve(options.role ?? "direct"), {
        mode: options.mode ?? "full",
        enabled: "all",
        extra: [],
      }),
      empty_retry: options.empty_retry ?? { max_retries: 0, backoff_ms: [1] },
      framing: { settings: UNLIMITED, compact: NO_COMPACT, edges: NO_EDGES, cold: false, keys: NO_KEYS },
      limits: { tool_step_budget: null, max_rounds: null, ...options.limits },
      scope: {
        conversation_id: "c",
        turn_id: "t1",
        project_id: "p",
        job_id: null,
        mode: options.mode ?? "full",
        cwd: "/work",
        project_root: null,
      },
      signal: cancel.signal,
    },
    {
      emit,
      now: () => 0,
      append: async (message) => void added.push(message),
      intend: async (intent) => void intents.push(intent),
      confirm: options.confirm ?? null,
      hooks: options.hooks ?? null,
      hashFile: async (path) => options.hashes?.[path] ?? null,
      keepFile: async (path) => options.hashes?.[path] ?? null,
      hashText: (text) => `hash of ${text}`,
      loadBlob: async () => null,
      onPartial: () => {},
      onUsage: () => {},
      onEdges: () => {},
      onResult: () => {},
      interject: () => options.lines?.splice(0) ?? [],
      processes: createSlots(() => options.processes ?? 16),
      receipts,
    },
  );
  return { end, added, events, requests, intents, receipts: receipts.list() };
}

function scripted(answers: readonly Answer[], requests: ChatRequest[]): ChatModel {
  let next = 0;
  return {
    provider: "scripted",
    async chat(request, { onDelta, signal }) {
      requests.push({ ...request, messages: [...request.messages] });
      const answer = answers[next++];
      if (answer === undefined) throw new Error("the scene has no answer left");
      if (answer instanceof Error) throw answer;
      if (typeof answer === "function") return answer(onDelta, signal);
      const reply = replyOf(answer);
      if (reply.content !== "") onDelta({ type: "text", text: reply.content });
      return reply;
    },
  };
}

function replyOf(answer: string | readonly ToolCall[] | Partial<ChatReply>): ChatReply {
  const plain: ChatReply = {
    content: "",
    reasoning: "",
    tool_calls: [],
    finish_reason: "stop",
    usage: UNKNOWN_USAGE,
    model: "m",
    warnings: [],
  };
  if (typeof answer === "string") return { ...plain, content: answer };
  if (isCalls(answer)) return { ...plain, tool_calls: answer, finish_reason: "tool_calls" };
  return { ...plain, ...answer };
}

const isCalls = (answer: readonly ToolCall[] | Partial<ChatReply>): answer is readonly ToolCall[] =>
  Array.isArray(answer);

/** What each tool message says, as `id: text`; a failure by its error message. */
export const told = (added: readonly TranscriptMessage[]): readonly string[] =>
  added.flatMap((message) => {
    if (message.role !== "tool") return [];
    const text = message.ok
      ? message.content
      : (JSON.parse(message.content) as { error: { message: string } }).error.message;
    return [`${message.tool_call_id}: ${text}`];
  });

/** A context for calling a tool's `run` by hand. */
export type Context = ToolContext;

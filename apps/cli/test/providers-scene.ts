import type { AgentEvent } from "@smith/contract/event";
import {
  anthropicMessages,
  ollamaChat,
  openAiResponses,
  type RecordedRequest,
  type Script,
  type ScriptedLlm,
} from "@smith/testkit";
import type { Ended } from "./running.ts";
import { model } from "./scene.ts";

const WIRES = { anthropic: anthropicMessages, openai_responses: openAiResponses, ollama: ollamaChat };

interface FarOptions {
  readonly kind?: "openai_chat" | "anthropic" | "openai_responses" | "ollama";
  /** What its entry in the configuration says beside name, kind, address and model. */
  readonly entry?: object;
}

/** A provider with a server of its own, and its entry in the configuration; its own model is `model-NAME`. */
export async function far(name: string, script: Script, { kind = "openai_chat", entry = {} }: FarOptions = {}) {
  const llm = await model(script, kind === "openai_chat" ? {} : { wire: WIRES[kind] });
  return { llm, entry: { name, kind, api_url: llm.url, model: `model-${name}`, ...entry } };
}

/** Short waits that differ from each other: an event's `delay_ms` tells which one it was. */
export const SHORT = { retry_backoff_ms: [10, 20] };

/** A configuration of these providers, in this order. */
export const chain = (fars: readonly { readonly entry: object }[], more: object = {}): object => ({
  providers: fars.map(({ entry }) => entry),
  llm_config: SHORT,
  ...more,
});

export const modelOf = (request: RecordedRequest): string => (request.body as { model: string }).model;

/** Which models each server was asked for, in order. */
export const asked = (...llms: readonly ScriptedLlm[]): string[][] => llms.map(({ requests }) => requests.map(modelOf));

/** Retries and switches of a run, in order, in short. */
export const moves = (end: Ended): string[] => end.events().flatMap((event) => moveOf(event) ?? []);

function moveOf(event: AgentEvent): string | null {
  if (event.type === "llm_retry_scheduled") return `attempt ${event.attempt} in ${event.delay_ms} after ${event.code}`;
  if (event.type === "provider_switched") return `${event.from} -> ${event.to} after ${event.code}`;
  return null;
}

/** What a program sees of the end. */
export function outcome(end: Ended) {
  const { stop_reason, text, model: name, provider, error } = end.json();
  return { code: end.code, stop_reason, text, model: name, provider, error: error?.code ?? null };
}

import type { CatalogModel, Price } from "@smith/contract/catalog";
import { isObject, textOf, type WireObject } from "../wire.ts";

/** The entries of a list of models, whatever it is called in; null when it is none. */
export function listIn(body: unknown): readonly unknown[] | null {
  const list = isObject(body) ? (body["data"] ?? body["models"]) : body;
  return Array.isArray(list) ? list : null;
}

/**
 * What an entry says of its model. Understood are the lists of OpenRouter, llama.cpp, LM Studio, vLLM, Groq, Mistral,
 * Together, Anthropic, Ollama; of others at least the id. Null for what can't chat in text, and for what is no entry.
 */
export function modelOf(entry: unknown): CatalogModel | null {
  if (typeof entry === "string") return entry === "" ? null : { ...UNKNOWN, id: entry };
  if (!isObject(entry) || !isChat(entry)) return null;
  const id = [entry["id"], entry["model"], entry["name"], entry["key"]].map(textOf).find((text) => text !== "");
  if (id === undefined) return null;
  return {
    id,
    context_window: contextOf(entry),
    max_output_tokens: firstCount([
      member(entry["top_provider"], "max_completion_tokens"),
      entry["max_completion_tokens"],
      entry["max_output_tokens"],
      // Anthropic's name, where the other counts what goes in.
      entry["max_input_tokens"] === undefined ? undefined : entry["max_tokens"],
    ]),
    price: priceOf(entry["pricing"]),
    thinks: thinksOf(entry),
    loaded: loadedOf(entry),
  };
}

const UNKNOWN: Omit<CatalogModel, "id"> = Object.freeze({
  ...{ context_window: null, max_output_tokens: null, price: null, thinks: null, loaded: null },
});

/** Each id once, sorted; of two entries with one id the first. */
export function cataloged(entries: readonly unknown[]): readonly CatalogModel[] {
  const models = new Map<string, CatalogModel>();
  for (const model of entries.map(modelOf)) if (model !== null && !models.has(model.id)) models.set(model.id, model);
  return [...models.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

const member = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

const firstCount = (values: readonly unknown[]): number | null => values.map(countOf).find((n) => n !== null) ?? null;

/** A positive whole number, also as text; null for anything else. */
function countOf(value: unknown): number | null {
  const n = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof n === "number" && Number.isInteger(n) && n > 0 ? n : null;
}

/** What is really there comes before what the model was made for. */
const contextOf = (entry: WireObject): number | null =>
  firstCount([
    member(entry["top_provider"], "context_length"), // OpenRouter
    entry["loaded_context_length"], // LM Studio
    contextArgument(member(entry["status"], "args")), // llama.cpp with several models
    member(entry["meta"], "n_ctx"), // llama.cpp with one
    entry["context_length"],
    entry["max_model_len"], // vLLM
    entry["context_window"], // Groq
    entry["max_context_length"], // LM Studio, Mistral
    entry["max_input_tokens"], // Anthropic
    member(entry["meta"], "n_ctx_train"),
  ]);

/** The value of `--ctx-size` in the arguments that a server was started with; 0 there means the model's own. */
function contextArgument(args: unknown): unknown {
  if (!Array.isArray(args)) return undefined;
  const list = args as readonly unknown[];
  const inline = list.map(textOf).find((arg) => arg.startsWith("--ctx-size="));
  if (inline !== undefined) return inline.slice("--ctx-size=".length);
  const at = list.findIndex((arg) => arg === "--ctx-size" || arg === "-c");
  return at < 0 ? undefined : list[at + 1];
}

/** Lists also hold embeddings, speech and pictures. What does not say what it is may chat. */
function isChat(entry: WireObject): boolean {
  const { architecture, type, capabilities } = entry;
  const [into, out] = [member(architecture, "input_modalities"), member(architecture, "output_modalities")];
  if (Array.isArray(into) && !into.includes("text")) return false;
  if (Array.isArray(out) && !(out.length === 1 && out[0] === "text")) return false;
  if (type === "embeddings" || type === "embedding" || type === "image" || type === "audio") return false;
  if (Array.isArray(capabilities)) return capabilities.length === 0 || capabilities.includes("completion");
  return member(capabilities, "completion_chat") !== false;
}

function thinksOf({ supported_parameters: parameters, capabilities }: WireObject): boolean | null {
  if (Array.isArray(parameters)) return parameters.includes("reasoning");
  return Array.isArray(capabilities) ? capabilities.includes("thinking") : null;
}

function loadedOf({ status, state, loaded, loaded_instances: instances }: WireObject): boolean | null {
  if (typeof loaded === "boolean") return loaded;
  const word = textOf(member(status, "value")) || textOf(state);
  if (word !== "") return word === "loaded";
  return Array.isArray(instances) ? instances.length > 0 : null;
}

/** OpenRouter tells dollars per token, as text; Together per million, as numbers. */
function priceOf(pricing: unknown): Price | null {
  if (!isObject(pricing)) return null;
  const isPerToken = pricing["prompt"] !== undefined;
  const rate = (key: string): number | null => {
    const amount = amountOf(pricing[key]);
    return amount === null ? null : isPerToken ? perMillion(amount) : amount;
  };
  const [input, output] = [rate(isPerToken ? "prompt" : "input"), rate(isPerToken ? "completion" : "output")];
  if (input === null || output === null) return null;
  return {
    input_per_mtok: input,
    output_per_mtok: output,
    cache_read_per_mtok: rate("input_cache_read"),
    cache_write_per_mtok: rate("input_cache_write"),
    reasoning_per_mtok: rate("internal_reasoning") || null, // 0 there says only that it has no price of its own
    tiers: [],
  };
}

/** Below 0 it depends on what is chosen behind it. */
function amountOf(value: unknown): number | null {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? amount : null;
}

/** Without the noise of binary fractions: 0.0000008 is 0.8 a million. */
const perMillion = (amount: number): number => Number((amount * 1e6).toPrecision(12));

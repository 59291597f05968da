import type { CatalogModel } from "@smith/contract/catalog";
import { type Routes, startRoutes } from "@smith/testkit";
import { expect, test } from "vitest";
import { type ListOptions, listCatalog, vendoredModel, vendoredModels } from "../src/index.ts";
import { optionsFor } from "./scene.ts";

const asking = { signal: new AbortController().signal, timeout_s: 5 };

interface Listed {
  readonly models: readonly CatalogModel[];
  readonly asked: readonly string[];
}

async function list(routes: Routes, kind: ListOptions["kind"] = "openai_chat", thorough = true): Promise<Listed> {
  await using server = await startRoutes(routes);
  const base = kind === "ollama" ? server.origin : `${server.origin}/v1`;
  const models = await listCatalog({ ...optionsFor(base), kind }, { ...asking, thorough });
  return { models, asked: server.asked };
}

const NOTHING = { context_window: null, max_output_tokens: null, price: null, thinks: null, loaded: null };
const rates = (input: number, output: number, read: number | null = null, write: number | null = null) => ({
  ...{ input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: read, cache_write_per_mtok: write },
  ...{ reasoning_per_mtok: null, tiers: [] },
});

test("L16 L17 OpenRouter's list: windows, limits and prices per million; what is no text model is left out", async () => {
  const text = { input_modalities: ["text", "image"], output_modalities: ["text"] };
  const { models, asked } = await list({
    "/v1/models": {
      data: [
        {
          ...{
            id: "a/sonnet",
            context_length: 1_000_000,
            architecture: text,
            supported_parameters: ["tools", "reasoning"],
          },
          pricing: {
            prompt: "0.000003",
            completion: "0.000015",
            input_cache_read: "0.0000003",
            input_cache_write: "0.00000375",
            internal_reasoning: "0",
          },
          top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
        },
        {
          id: "b/free:free",
          context_length: 32_768,
          architecture: text,
          pricing: { prompt: "0", completion: "0" },
          top_provider: { context_length: null },
        },
        {
          id: "openrouter/auto",
          context_length: 2_000_000,
          architecture: text,
          pricing: { prompt: "-1", completion: "-1" },
        },
        {
          id: "c/painter",
          context_length: 8192,
          architecture: { input_modalities: ["text"], output_modalities: ["image", "text"] },
          pricing: { prompt: "0", completion: "0" },
        },
        {
          id: "d/ear",
          context_length: 8192,
          architecture: { input_modalities: ["audio"], output_modalities: ["text"] },
        },
        { id: "a/sonnet", context_length: 1 },
      ],
    },
  });
  expect(models).toEqual([
    {
      ...NOTHING,
      id: "a/sonnet",
      context_window: 200_000,
      max_output_tokens: 64_000,
      price: rates(3, 15, 0.3, 3.75),
      thinks: true,
    },
    { ...NOTHING, id: "b/free:free", context_window: 32_768, price: rates(0, 0) },
    { ...NOTHING, id: "openrouter/auto", context_window: 2_000_000 },
  ]);
  expect(asked).toEqual(["GET /v1/models"]);
});

test("L16 llama.cpp with several models: its own list stands without /v1; the size it was started with wins, loaded is told", async () => {
  const { models, asked } = await list({
    "/v1/models": { data: [{ id: "big" }, { id: "own" }, { id: "small" }] },
    "/models": {
      data: [
        {
          id: "big",
          context_length: 131_072,
          status: { value: "loaded", args: ["llama-server", "--ctx-size", "16384"] },
        },
        { id: "small", context_length: 32_768, status: { value: "unloaded", args: ["llama-server", "--ctx-size=0"] } },
        { id: "own", status: { value: "loading", args: ["-c", "8192"] } },
      ],
    },
  });
  expect(models).toEqual([
    { ...NOTHING, id: "big", context_window: 16_384, loaded: true },
    { ...NOTHING, id: "own", context_window: 8192, loaded: false },
    { ...NOTHING, id: "small", context_window: 32_768, loaded: false },
  ]);
  expect(asked).toEqual(["GET /v1/models", "GET /api/v0/models", "GET /models"]);
});

test("L16 llama.cpp with one model: the window that it runs with, not the one that the model was made for", async () => {
  const { models } = await list({
    "/v1/models": {
      models: [{ name: "m.gguf" }],
      data: [{ id: "m.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }],
    },
  });
  expect(models).toEqual([{ ...NOTHING, id: "m.gguf", context_window: 131_072 }]); // an old server: nothing better is told
  const bare = await list({
    "/v1/models": { data: [{ id: "m.gguf" }] },
    "/props": { default_generation_settings: { n_ctx: 4096 } },
  });
  expect(bare.models).toEqual([{ ...NOTHING, id: "m.gguf", context_window: 4096, loaded: true }]);
});

test("L16 LM Studio: windows and what is loaded come from its own list, embeddings are left out", async () => {
  const { models } = await list({
    "/v1/models": { data: [{ id: "embed" }, { id: "llama" }, { id: "qwen" }] },
    "/api/v0/models": {
      data: [
        { id: "qwen", type: "vlm", state: "not-loaded", max_context_length: 32_768 },
        { id: "llama", type: "llm", state: "loaded", max_context_length: 131_072, loaded_context_length: 8192 },
        { id: "embed", type: "embeddings", state: "not-loaded", max_context_length: 2048 },
      ],
    },
  });
  expect(models).toEqual([
    { ...NOTHING, id: "llama", context_window: 8192, loaded: true },
    { ...NOTHING, id: "qwen", context_window: 32_768, loaded: false },
  ]);
});

test("L15 L26 Ollama: each model is asked for its context length and what it can do", async () => {
  const shows: Readonly<Record<string, unknown>> = {
    "qwen3:8b": {
      model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
      capabilities: ["completion", "tools", "thinking"],
    },
    "llama3.1:latest": {
      model_info: { "general.architecture": "llama", "llama.context_length": 131_072 },
      capabilities: ["completion", "tools"],
    },
    "nomic:latest": { model_info: { "general.architecture": "bert" }, capabilities: ["embedding"] },
  };
  const { models, asked } = await list(
    {
      "/api/tags": {
        models: ["qwen3:8b", "llama3.1:latest", "nomic:latest", "odd:1b"].map((name) => ({
          name,
          model: name,
          size: 1,
        })),
      },
      "/api/ps": { models: [{ name: "qwen3:8b", model: "qwen3:8b", size_vram: 1 }] },
      "/api/show": ({ model }: { model: string }) => shows[model] ?? 404,
    },
    "ollama",
  );
  expect(models).toEqual([
    { ...NOTHING, id: "llama3.1:latest", context_window: 131_072, thinks: false, loaded: false },
    { ...NOTHING, id: "odd:1b", loaded: false },
    { ...NOTHING, id: "qwen3:8b", context_window: 40_960, thinks: true, loaded: true },
  ]);
  expect(asked).toEqual(["GET /api/tags", "GET /api/ps", ...Array(4).fill("POST /api/show")]);
});

test("L15 the lists of vLLM, Groq, Mistral, Together and Anthropic are understood, a bare one is taken as ids", async () => {
  const entries = [
    { id: "vllm", max_model_len: 16_384 },
    { id: "groq", context_window: 131_072, max_completion_tokens: 8192 },
    { id: "mistral", max_context_length: 262_144, capabilities: { completion_chat: true } },
    { id: "mistral-ocr", max_context_length: 1, capabilities: { completion_chat: false } },
    { id: "together", context_length: 65_536, pricing: { input: 0.6, output: 1.8, base: 0 } },
    { id: "claude", max_input_tokens: 200_000, max_tokens: 64_000 },
    { id: "junk", context_length: "many", max_completion_tokens: -1, pricing: { prompt: "cheap" } },
    "bare",
    null,
    { object: "model" },
  ];
  const { models } = await list({ "/v1/models": { data: entries }, "/api/v0/models": "<html>", "/models": [] });
  expect(models).toEqual([
    { ...NOTHING, id: "bare" },
    { ...NOTHING, id: "claude", context_window: 200_000, max_output_tokens: 64_000 },
    { ...NOTHING, id: "groq", context_window: 131_072, max_output_tokens: 8192 },
    { ...NOTHING, id: "junk" },
    { ...NOTHING, id: "mistral", context_window: 262_144 },
    { ...NOTHING, id: "together", context_window: 65_536, price: rates(0.6, 1.8) },
    { ...NOTHING, id: "vllm", context_window: 16_384 },
  ]);
});

test("L17 the table's prices hold at the vendor's own address, what a model can do holds everywhere", () => {
  const home = vendoredModel("claude-sonnet-4-5", { host: "api.anthropic.com" });
  expect(home).toEqual({
    ...NOTHING,
    id: "claude-sonnet-4-5",
    context_window: 200_000,
    max_output_tokens: 64_000,
    price: rates(3, 15, 0.3, 3.75),
    thinks: true,
  });
  for (const [id, host] of [
    ["claude-sonnet-4-5", "gateway.example.org"],
    ["anthropic/claude-sonnet-4.5", "openrouter.ai"],
    ["anthropic/claude-sonnet-4.5:free", null],
  ] as const) {
    expect(vendoredModel(id, { host })).toEqual({ ...home, id, price: null });
  }
  expect(vendoredModel("gemini-2.5-pro", { host: null, vendor: "google" })?.price?.input_per_mtok).toBe(1.25);
  expect([
    vendoredModel("my-model", { host: "api.openai.com" }),
    vendoredModel("constructor", { host: "constructor" }),
  ]).toEqual([null, null]);
  expect([vendoredModels({ host: "constructor" }), vendoredModels({ host: "127.0.0.1" })]).toEqual([[], []]);
});

test("L15 every line of the table is read: windows, limits and prices above 0, tiers above one another", () => {
  const vendors = [
    "anthropic",
    "openai",
    "google",
    "deepseek",
    "mistral",
    "xai",
    "groq",
    "moonshotai",
    "zai",
    "cerebras",
  ];
  for (const vendor of vendors) {
    const models = vendoredModels({ host: null, vendor });
    expect(models.length).toBeGreaterThan(1);
    for (const { context_window, max_output_tokens, price } of models) {
      const numbers = [
        context_window ?? 1,
        max_output_tokens ?? 1,
        ...[price, ...(price?.tiers ?? [])].flatMap((rate) => Object.values(rate ?? {})),
      ];
      expect(numbers.filter((n) => typeof n === "number" && !(n > 0))).toEqual([]);
    }
  }
});

test("L15 a server that does not say whose it is is asked at other addresses only when the user wants to know", async () => {
  const bare = { "/v1/models": { data: [{ id: "m" }] }, "/props": { default_generation_settings: { n_ctx: 4096 } } };
  const llama = { ...bare, "/v1/models": { data: [{ id: "m", owned_by: "llamacpp" }] } };
  const [unasked, told, wanted] = [
    await list(bare, "openai_chat", false),
    await list(llama, "openai_chat", false),
    await list(bare),
  ];
  expect([unasked, told, wanted].map(({ models, asked }) => [models[0]?.context_window, asked])).toEqual([
    [null, ["GET /v1/models"]],
    [4096, ["GET /v1/models", "GET /models", "GET /props"]],
    [4096, ["GET /v1/models", "GET /api/v0/models", "GET /models", "GET /props"]],
  ]);
});

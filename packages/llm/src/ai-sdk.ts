import { cancelReason, checkCancelled } from "@smith/contract/cancel";
import { cancelledError } from "@smith/contract/error";
import type { ChatModel, ChatOptions, ChatReply, ChatRequest } from "@smith/contract/model";
import type { FoldInput } from "./adapter.ts";
import { callOptions } from "./ai-sdk/encode.ts";
import { faultOf, partFault } from "./ai-sdk/faults.ts";
import { type AiSdkFold, createFold } from "./ai-sdk/fold.ts";
import { type ForeignModel, findPackage, loadProvider } from "./ai-sdk/load.ts";
import { createClocks, type Limits, limitMs } from "./clocks.ts";
import type { Owner } from "./echo.ts";
import type { HttpModelOptions } from "./endpoint.ts";
import { badAnswer, cutError, type FarEnd, timeoutError } from "./errors.ts";
import { upwards } from "./installed.ts";
import { loadPictures } from "./pictures.ts";
import { secretsOf } from "./secrets.ts";
import { callIds, checkTranscript } from "./transcript.ts";
import { isObject } from "./wire.ts";

export interface AiSdkOptions extends Omit<HttpModelOptions, "api_url"> {
  readonly api_url?: string | undefined;
  /** The npm name, as `@ai-sdk/google`; null: none was named, which is refused. */
  readonly package?: string | null | undefined;
  /** Folders in whose `node_modules` it is looked for, before Smith's own. */
  readonly package_dirs?: readonly string[] | undefined;
}

const ORIGIN = "llm/ai-sdk";
/** Seconds. */
const TIMEOUT_S = 600;
const CONNECT_TIMEOUT_S = 120;
const STREAM_STALL_TIMEOUT_S = 120;

/**
 * A model behind an installed package of the AI SDK. The package is looked for at once and loaded with the first request.
 * One request per `chat`; connections are the package's own.
 * @throws {AgentError} `schema`/`config` when it is not installed, naming the command that does.
 */
export function createAiSdk(options: AiSdkOptions): ChatModel {
  const { provider } = options;
  const folder = findPackage(provider, options.package ?? null, [
    ...(options.package_dirs ?? []),
    ...upwards(import.meta.dirname),
  ]);
  const far = farOf(options);
  let loading: Promise<(model: string) => ForeignModel> | null = null;
  return Object.freeze({
    provider,
    takes_images: true,
    async chat(request: ChatRequest, chat: ChatOptions): Promise<ChatReply> {
      checkCancelled(chat.signal);
      checkTranscript(request.messages);
      loading ??= loadProvider(folder, settingsOf(options));
      loading.catch(() => (loading = null));
      const model = (await loading)(request.model);
      const pictures = await loadPictures(request.messages, () => false, chat.loadBlob);
      const owner: Owner = { kind: "ai_sdk", provider, model: request.model };
      const fold = createFold(inputOf(request, options, chat), owner);
      await exchange({ model, fold, far, options, signal: chat.signal, call: callOptions(request, owner, pictures) });
      return fold.reply();
    },
  });
}

const inputOf = (request: ChatRequest, { provider, stream }: AiSdkOptions, { onDelta }: ChatOptions): FoldInput => ({
  provider,
  model: request.model,
  tool_names: new Set(request.tools.map(({ name }) => name)),
  takenIds: () => callIds(request.messages),
  onDelta: stream ? onDelta : null,
});

function farOf({ provider, api_url = "", api_key, api_key_env, headers, package: name }: AiSdkOptions): FarEnd {
  const address = URL.canParse(api_url) ? new URL(api_url) : null;
  const base = address === null ? (name ?? "ai_sdk") : address.origin + address.pathname;
  return Object.freeze({
    provider,
    base,
    url: base,
    api_key: api_key?.trim() || null,
    secrets: secretsOf({ api_key: api_key?.trim() ?? null, headers, url: address, proxy: null }),
    api_key_env,
    origin: ORIGIN,
    via: null,
  });
}

function settingsOf({ provider, api_key, api_url, headers }: AiSdkOptions) {
  const key = api_key?.trim() ?? "";
  return {
    name: provider,
    // Without one the package looks in its provider's own variables.
    ...(key === "" ? {} : { apiKey: key }),
    ...(api_url === undefined || api_url === "" ? {} : { baseURL: api_url.replace(/\/+$/, "") }),
    ...(headers === undefined ? {} : { headers }),
    includeUsage: true, // only some know it; without it the compatible one asks for no counts
  };
}

interface Asking {
  readonly model: ForeignModel;
  readonly fold: AiSdkFold;
  readonly far: FarEnd;
  readonly options: AiSdkOptions;
  readonly signal: AbortSignal;
  readonly call: Readonly<Record<string, unknown>>;
}

function limitsOf({ stream, timeouts }: AiSdkOptions): Limits {
  const connect = limitMs(timeouts.connect_timeout_s ?? CONNECT_TIMEOUT_S);
  const total = timeouts.total_s ?? (stream ? null : (timeouts.timeout_s ?? TIMEOUT_S));
  return {
    ...{ connect, send: connect },
    stall: stream ? limitMs(timeouts.stream_stall_timeout_s ?? STREAM_STALL_TIMEOUT_S) : null,
    answer: total === null ? null : limitMs(total),
  };
}

/** One request under our own clocks. */
async function exchange(asking: Asking): Promise<void> {
  const { fold, far, options, signal } = asking;
  const stop = new AbortController();
  const onCancel = () => stop.abort(cancelledError(cancelReason(signal), ORIGIN));
  signal.addEventListener("abort", onCancel, { once: true });
  const clocks = createClocks(limitsOf(options), {
    expire: (clock, ms) => stop.abort(timeoutError(far, clock, ms)),
    quiet: (ms) => stop.abort(timeoutError(far, "stall", ms)),
  });
  clocks.start();
  const state = { begun: false };
  try {
    await ask(asking, { clocks, state, signal: stop.signal });
    if (fold.finish === "") throw cutError(far, "it ended without a finish reason");
  } catch (thrown) {
    // What we broke off ourselves has a reason that is better than what became of it.
    throw stop.signal.aborted ? stop.signal.reason : faultOf(far, thrown, state.begun);
  } finally {
    clocks.clear();
    signal.removeEventListener("abort", onCancel);
  }
}

interface Line {
  readonly clocks: Pick<ReturnType<typeof createClocks>, "answered" | "pulse">;
  readonly state: { begun: boolean };
  readonly signal: AbortSignal;
}

async function ask({ model, fold, far, options, call }: Asking, { clocks, state, signal }: Line): Promise<void> {
  const asked = { ...call, abortSignal: signal };
  if (!options.stream) {
    clocks.answered(200); // a whole answer tells nothing of itself before it is there
    return readWhole(await model.doGenerate(asked), fold);
  }
  const result = await model.doStream(asked);
  state.begun = true;
  clocks.answered(200);
  await readStream(result, { fold, far, pulse: () => clocks.pulse("data") });
}

interface Reading {
  readonly fold: AiSdkFold;
  readonly far: FarEnd;
  pulse(): void;
}

async function readStream(result: unknown, { fold, far, pulse }: Reading): Promise<void> {
  const stream = isObject(result) ? result["stream"] : undefined;
  if (!(stream instanceof ReadableStream)) throw badAnswer(far, "no_event", { said: "answered with no stream" });
  for await (const part of stream as ReadableStream<unknown>) {
    pulse();
    if (!isObject(part)) continue;
    if (part["type"] === "error") throw partFault(far, part["error"]);
    if (part["type"] === "finish") fold.end(part);
    else fold.add(part);
  }
}

function readWhole(result: unknown, fold: AiSdkFold): void {
  if (!isObject(result)) return;
  const { content } = result;
  if (Array.isArray(content)) for (const part of content as readonly unknown[]) if (isObject(part)) fold.add(part);
  fold.end(result);
}

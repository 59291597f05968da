import type { Message, UserMessage } from "@smith/contract/message";
import type { RecordedRequest, Wire } from "@smith/testkit";
import { anthropicMessages, chatCompletions, openAiResponses, startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { createDemo, createProvider, createRouter, type ProviderKind } from "../src/index.ts";
import { hello, optionsFor, place } from "./scene.ts";

const BYTES = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255, 254, 7]);
const BASE64 = Buffer.from(BYTES).toString("base64");

const picture = (blob: string) => ({ type: "image" as const, media_type: "image/png", blob });
const user = (content: UserMessage["content"]): Message => ({ role: "user", content, turn_id: "t1", round: 0, ts: 1 });
const text = (words: string) => ({ type: "text" as const, text: words });

interface Kind {
  readonly kind: ProviderKind;
  readonly wire: Wire;
  readonly words: (text: string) => unknown;
  readonly image: unknown;
  contentIn(request: RecordedRequest | undefined): unknown;
}

const field = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];
const lastOf = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : undefined);
const url = `data:image/png;base64,${BASE64}`;

const KINDS: readonly Kind[] = [
  {
    kind: "openai_chat",
    wire: chatCompletions,
    words: (words) => ({ type: "text", text: words }),
    image: { type: "image_url", image_url: { url } },
    contentIn: (request) => field(lastOf(field(request?.body, "messages")), "content"),
  },
  {
    kind: "openai_responses",
    wire: openAiResponses,
    words: (words) => ({ type: "input_text", text: words }),
    image: { type: "input_image", image_url: url, detail: "auto" },
    contentIn: (request) => field(lastOf(field(request?.body, "input")), "content"),
  },
  {
    kind: "anthropic",
    wire: anthropicMessages,
    words: (words) => ({ type: "text", text: words }),
    image: { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
    contentIn: (request) => field(lastOf(field(request?.body, "messages")), "content"),
  },
];

/** Without the cache marks, which are another test's business. */
const bare = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.map((block) => {
        const { cache_control: _mark, ...rest } = block as Record<string, unknown>;
        return rest;
      })
    : content;

/** A model of this kind behind a server with `n` answers, and how often each picture was loaded. */
async function scene({ kind, wire }: Kind, n: number) {
  const llm = await startScriptedLlm(Array(n).fill({ say: "seen" }), { wire });
  const model = createProvider(kind, optionsFor(llm.url));
  const loaded: string[] = [];
  const loadBlob = async (hash: string) => {
    loaded.push(hash);
    return hash === "gone" ? null : BYTES;
  };
  const signal = new AbortController().signal;
  const chat = (messages: readonly Message[], options: object = { loadBlob }) =>
    model.chat({ ...hello, messages }, { signal, onDelta: () => {}, ...options });
  return { llm, chat, loaded, model };
}

test.each(KINDS)("$kind is shown pictures and texts in their order, in its own form", async (kind) => {
  const { llm, chat, loaded, model } = await scene(kind, 1);
  await using _server = llm;
  await chat([user([text("before"), picture("aa"), text("  "), picture("aa"), text("after")])]);
  expect(bare(kind.contentIn(llm.requests[0]))).toEqual([
    kind.words("before"),
    kind.image,
    kind.image,
    kind.words("after"),
  ]);
  expect([loaded, model.takes_images]).toEqual([["aa"], true]);
});

test.each(KINDS)("$kind loads a picture once, however many rounds follow, and sends the same bytes", async (kind) => {
  const { llm, chat, loaded } = await scene(kind, 3);
  await using _server = llm;
  const first = user([text("what is this?"), picture("aa")]);
  const more: Message[] = [{ role: "assistant", content: "a dog", ...place }, user([picture("bb")])];
  await chat([first]);
  await chat([first, ...more]);
  await chat([first, ...more]);
  expect(loaded).toEqual(["aa", "bb"]);
  expect(llm.requests[2]?.raw).toBe(llm.requests[1]?.raw);
  expect(llm.requests.map(({ raw }) => raw.split(BASE64).length - 1)).toEqual([1, 2, 2]);
});

test.each(KINDS)("$kind is told of a picture that is not kept any more, or that it can't be shown", async (kind) => {
  const { llm, chat } = await scene(kind, 3);
  await using _server = llm;
  const content = (blob: string) => [text("look"), picture(blob)];
  await chat([user(content("gone"))]);
  await chat([user(content("aa"))], {});
  await chat([user([picture("aa"), picture("gone")])]);
  const contents = llm.requests.map((request) => bare(kind.contentIn(request)));
  const told = (words: string) => (kind.kind === "anthropic" ? [kind.words(words)] : words);
  expect(contents).toEqual([
    told("look\n[image/png gone: this picture is not kept any more]"),
    told("look\n[image/png aa: images can't be shown to this model]"),
    [kind.image, kind.words("[image/png gone: this picture is not kept any more]")],
  ]);
});

test("a router hands pictures on to whoever answers, and takes them only where all of its providers do", async () => {
  const [a, b] = [await startScriptedLlm([{ status: 401 }]), await startScriptedLlm([{ say: "seen" }])];
  await using _servers = {
    [Symbol.asyncDispose]: async () => void (await Promise.all([a, b].map((each) => each[Symbol.asyncDispose]()))),
  };
  const routed = (model: ReturnType<typeof createDemo>) => ({ model, model_id: null });
  const make = (api_url: string) => routed(createProvider("openai_chat", optionsFor(api_url)));
  const retry = { max_retries: 0, backoff_ms: [0], stream_retry_after_output: false };
  const router = createRouter({ providers: [make(a.url), make(b.url)], retry });
  await router.chat(
    { ...hello, messages: [user([picture("aa")])] },
    { signal: new AbortController().signal, onDelta: () => {}, loadBlob: async () => BYTES },
  );
  expect(KINDS[0]?.contentIn(b.requests[0])).toEqual([KINDS[0]?.image]);
  const mixed = createRouter({ providers: [make(a.url), routed(createDemo())], retry });
  expect([router.takes_images, mixed.takes_images, createDemo().takes_images]).toEqual([true, false, undefined]);
});

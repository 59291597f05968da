/** A request that every law accepts. */
export const goodRequest = (extra: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  model: "m",
  messages: [{ role: "user", content: "hi" }],
  stream: true,
  ...extra,
});

/** Posts a chat request by hand, without any client of ours. */
export const post = (url: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

/** The JSON of each `data:` line; `[DONE]` as that text. */
export const eventsOf = (sse: string): unknown[] =>
  sse
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => block.replace(/^data: /, ""))
    .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as unknown)));

interface Told {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: string | null;
  usage: unknown;
  done: boolean;
}

interface Chunk {
  choices: { delta: Delta; finish_reason: string | null }[];
  usage?: unknown;
}
interface Delta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

/** What a stream says, folded. */
export function told(sse: string): Told {
  const all: Told = { text: "", reasoning: "", calls: [], finish: null, usage: null, done: false };
  for (const event of eventsOf(sse)) {
    if (event === "[DONE]") {
      all.done = true;
      continue;
    }
    const chunk = event as Chunk;
    all.usage = chunk.usage ?? all.usage;
    for (const choice of chunk.choices) {
      all.finish = choice.finish_reason ?? all.finish;
      fold(all, choice.delta);
    }
  }
  return all;
}

function fold(all: Told, delta: Delta): void {
  all.text += delta.content ?? "";
  all.reasoning += delta.reasoning_content ?? "";
  for (const { index, id, function: target } of delta.tool_calls ?? []) {
    all.calls[index] ??= { id: id ?? "", name: target.name ?? "", arguments: "" };
    const call = all.calls[index];
    if (call !== undefined) call.arguments += target.arguments;
  }
}

import { createEventBus } from "@smith/engine";
import { createProvider } from "@smith/llm";

/**
 * The adapter and the event bus alone, nothing drawn: each piece of the answer becomes an event that one listener counts.
 * Arguments: the model's address and the prompt.
 */
export async function runAdapter([api_url = "", prompt = ""]: readonly string[]): Promise<void> {
  const chat = createProvider("openai_chat", {
    ...{ provider: "bench", api_url, api_key: null, api_key_env: "LLM_API_KEY", stream: true, timeouts: {} },
  });
  const bus = createEventBus(Date.now);
  let chars = 0;
  bus.subscribe((event) => {
    if (event.type === "llm_text_delta") chars += event.text.length;
  });
  const messages = [
    { role: "system", content: "You are Smith." },
    { role: "user", content: prompt, turn_id: "t1", round: 0, ts: 0 },
  ] as const;
  const { content } = await chat.chat(
    { model: "bench", messages, tools: [] },
    {
      signal: new AbortController().signal,
      onDelta: ({ type, text }) => bus.emit("t1", { type: `llm_${type}_delta`, text }),
    },
  );
  // Blanks at the end were shown before anybody knew that they were its end.
  if (chars < content.length) throw new Error(`${chars} characters in events, ${content.length} in the answer`);
  process.stdout.write(`${content}\n`);
  process.exit(); // the kept connection would hold the process
}

import { spawn } from "node:child_process";
import { request } from "node:http";

interface Call {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
}
type Delta = { content?: string; tool_calls?: { index: number; id: string; function: Call["function"] }[] } | undefined;

const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ type: "function", function: { name: "bash", description: "Run a shell command", parameters } }];

/**
 * The least that can be called an agent: ask, stream, run the shell, ask again. No prompt, no checks, no store: what is
 * left is what Node itself costs. Arguments: the model's address, the prompt, and `undrawn` to print only at the end.
 */
export async function runMinimal([url, prompt, undrawn]: readonly string[]): Promise<void> {
  const draw = undrawn === undefined ? (text: string) => void process.stdout.write(text) : () => {};
  const messages: unknown[] = [{ role: "user", content: prompt }];
  for (;;) {
    const { text, calls } = await ask(`${url}/chat/completions`, messages, draw);
    if (undrawn !== undefined) process.stdout.write(text);
    if (calls.length === 0) break;
    messages.push({ role: "assistant", content: text || null, tool_calls: calls });
    const outputs = await Promise.all(calls.map((call) => shell(JSON.parse(call.function.arguments).command)));
    for (const [i, call] of calls.entries())
      messages.push({ role: "tool", tool_call_id: call.id, content: outputs[i] });
  }
  process.stdout.write("\n");
}

async function ask(
  url: string,
  messages: readonly unknown[],
  draw: (text: string) => void,
): Promise<{ text: string; calls: readonly Call[] }> {
  let text = "";
  let rest = "";
  const calls: Call[] = [];
  for await (const chunk of await post(url, JSON.stringify({ model: "bench", stream: true, messages, tools }))) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const delta: Delta = JSON.parse(line.slice(6)).choices[0]?.delta;
      if (delta?.content) draw(delta.content);
      text += delta?.content ?? "";
      for (const { index, id, function: piece } of delta?.tool_calls ?? []) {
        calls[index] ??= { id, type: "function", function: { name: piece.name, arguments: "" } };
        calls[index].function.arguments += piece.arguments;
      }
    }
  }
  return { text, calls };
}

const post = (url: string, body: string): Promise<AsyncIterable<string>> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", headers }, (response) => resolve(response.setEncoding("utf8")));
    sent.on("error", reject).end(body);
  });

const shell = (command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = "";
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    child.on("error", reject).on("close", () => resolve(output || "(no output)"));
  });

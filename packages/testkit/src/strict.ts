/**
 * The laws a real Chat Completions endpoint enforces (the strictest of those in use), each breach one sentence that
 * begins with the place. Empty: the request would be accepted.
 */
export function checkChatRequest(body: unknown): string[] {
  if (!isRecord(body)) return ["body: expected a JSON object"];
  const faults: string[] = [];
  if (typeof body["model"] !== "string" || body["model"] === "") faults.push("model: expected a non-empty string");
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    faults.push("stream_options: only allowed with stream: true");
  }
  faults.push(...checkTools(body), ...checkMessages(body["messages"]), ...checkSurrogates(body));
  return faults;
}

/** The laws of the bytes: content type, UTF-8, JSON. `body` is `undefined` when there is a fault. */
export function readJsonBody(bytes: Uint8Array, contentType: string | undefined): { body: unknown; faults: string[] } {
  const faults: string[] = [];
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
    faults.push(`content-type: expected application/json, got ${contentType ?? "none"}`);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { body: JSON.parse(text) as unknown, faults };
  } catch (error) {
    const what = error instanceof SyntaxError ? `not JSON (${error.message})` : "not valid UTF-8";
    return { body: undefined, faults: [...faults, `body: ${what}`] };
  }
}

/** What tools may be called. */
export const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "reasoning_content"],
  tool: ["role", "content", "name", "tool_call_id"],
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function checkTools(body: Record<string, unknown>): string[] {
  const tools = body["tools"];
  if (tools === undefined) return body["tool_choice"] === undefined ? [] : ["tool_choice: only allowed with tools"];
  if (!Array.isArray(tools) || tools.length === 0) return ["tools: expected a non-empty list, or none at all"];
  const seen = new Set<unknown>();
  return tools.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`;
    const spec = isRecord(tool) && tool["type"] === "function" ? tool["function"] : undefined;
    if (!isRecord(spec)) return [`${at}: expected {type: "function", function: {…}}`];
    const faults: string[] = [];
    const { name, parameters } = spec;
    if (typeof name !== "string" || !NAME.test(name)) faults.push(`${at}.function.name: must match ${NAME.source}`);
    if (seen.has(name)) faults.push(`${at}.function.name: ${String(name)} is there twice`);
    seen.add(name);
    if (!isRecord(parameters) || parameters["type"] !== "object") {
      faults.push(`${at}.function.parameters: expected a schema of type "object"`);
    }
    return faults;
  });
}

function checkMessages(messages: unknown): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return ["messages: expected a non-empty list"];
  const faults = messages.flatMap((message: unknown, index) => checkMessage(message, index));
  const first = messages.findIndex((message) => !isRecord(message) || message["role"] !== "system");
  const opener: unknown = messages[first];
  if (!isRecord(opener) || opener["role"] !== "user") {
    faults.push(`messages[${Math.max(first, 0)}]: the first message that is not system must be a user's`);
  }
  return [...faults, ...checkPairs(messages)];
}

function checkMessage(message: unknown, index: number): string[] {
  const at = `messages[${index}]`;
  if (!isRecord(message)) return [`${at}: expected an object`];
  const role = String(message["role"]);
  const allowed = Object.hasOwn(KEYS, role) ? KEYS[role] : undefined;
  if (allowed === undefined) return [`${at}.role: unknown role ${role}`];
  const faults = Object.keys(message)
    .filter((key) => !allowed.includes(key))
    .map((key) => `${at}.${key}: unknown key in a ${role} message`);
  if (role === "system" && index > 0) faults.push(`${at}: a system message may only come first`);
  const calls = role === "assistant" ? message["tool_calls"] : undefined;
  const mayLackText = calls !== undefined;
  faults.push(...checkContent(message["content"], mayLackText, `${at}.content`));
  if (calls !== undefined) faults.push(...checkCalls(calls, `${at}.tool_calls`));
  return faults;
}

function checkContent(content: unknown, mayLackText: boolean, at: string): string[] {
  if (content === undefined || content === null) {
    return mayLackText ? [] : [`${at}: neither text nor tool calls`];
  }
  if (typeof content === "string") return content.trim() === "" ? [`${at}: blank text (leave it out)`] : [];
  if (!Array.isArray(content) || content.length === 0) return [`${at}: expected text or a non-empty list of parts`];
  return content.flatMap((part: unknown, index) => checkPart(part, `${at}[${index}]`));
}

function checkPart(part: unknown, at: string): string[] {
  if (!isRecord(part)) return [`${at}: expected an object`];
  if (part["type"] === "image_url") {
    const image = part["image_url"];
    return isRecord(image) && typeof image["url"] === "string" ? [] : [`${at}.image_url: expected {url}`];
  }
  if (part["type"] !== "text" || typeof part["text"] !== "string") return [`${at}: expected a text or image_url part`];
  return part["text"].trim() === "" ? [`${at}: blank text (leave it out)`] : [];
}

function checkCalls(calls: unknown, at: string): string[] {
  if (!Array.isArray(calls) || calls.length === 0) return [`${at}: expected a non-empty list (leave it out)`];
  return calls.flatMap((call: unknown, index) => checkCall(call, `${at}[${index}]`));
}

function checkCall(call: unknown, at: string): string[] {
  const target = isRecord(call) && call["type"] === "function" ? call["function"] : undefined;
  if (!isRecord(call) || !isRecord(target)) return [`${at}: expected {id, type: "function", function: {…}}`];
  const faults: string[] = [];
  if (typeof call["id"] !== "string" || call["id"] === "") faults.push(`${at}.id: expected a non-empty string`);
  const { name, arguments: args } = target;
  if (typeof name !== "string" || !NAME.test(name)) faults.push(`${at}.function.name: must match ${NAME.source}`);
  if (!isObjectText(args)) faults.push(`${at}.function.arguments: expected the text of a JSON object`);
  return faults;
}

const isObjectText = (text: unknown): boolean => {
  try {
    return typeof text === "string" && isRecord(JSON.parse(text));
  } catch {
    return false; // not JSON: exactly what is asked here
  }
};

/** Every call has exactly one answer, given before anything else is said. */
function checkPairs(messages: readonly unknown[]): string[] {
  const faults: string[] = [];
  const pending = new Set<string>();
  const demandAnswers = (before: string) => {
    for (const id of pending) faults.push(`${before}: the call ${id} has no tool message yet`);
    pending.clear();
  };
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const at = `messages[${index}]`;
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"]);
      if (!pending.delete(id)) faults.push(`${at}.tool_call_id: no pending call ${id}`);
      continue;
    }
    demandAnswers(at);
    for (const id of callIds(message)) {
      if (pending.has(id)) faults.push(`${at}.tool_calls: the id ${id} is there twice`);
      pending.add(id);
    }
  }
  demandAnswers("messages (end)");
  return faults;
}

const callIds = (message: Record<string, unknown>): string[] => {
  const calls = message["role"] === "assistant" ? message["tool_calls"] : undefined;
  return Array.isArray(calls) ? calls.map((call: unknown) => (isRecord(call) ? String(call["id"]) : "")) : [];
};

/** Half a surrogate pair has no UTF-8 form: real endpoints refuse its escape too. */
export function checkSurrogates(body: unknown): string[] {
  const faults: string[] = [];
  const rest: { at: string; value: unknown }[] = [{ at: "body", value: body }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { at, value } = next;
    if (typeof value === "string" && /\p{Surrogate}/u.test(value)) faults.push(`${at}: lone surrogate in text`);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (/\p{Surrogate}/u.test(key)) faults.push(`${at}: lone surrogate in a key`);
      rest.push({ at: `${at}.${key}`, value: inner });
    }
  }
  return faults;
}

import { checkSurrogates, isRecord, NAME } from "../strict.ts";

type Fields = Readonly<Record<string, unknown>>;

const TOP = new Set(
  `model input instructions tools tool_choice parallel_tool_calls stream store include reasoning max_output_tokens
  temperature top_p text metadata truncation user service_tier prompt_cache_key previous_response_id`.split(/\s+/),
);
const ITEMS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status"],
  function_call: ["type", "call_id", "name", "arguments", "id", "status"],
  function_call_output: ["type", "call_id", "output", "id", "status"],
  reasoning: ["type", "id", "summary", "encrypted_content"],
};
/** Models that think refuse a temperature. */
const THINKS = /^(?:o[1-9]|gpt-5)/;
const MAX_ID = 64;

/** The laws a real OpenAI Responses endpoint enforces, each breach one sentence. Empty: it would be accepted. */
export function checkResponsesRequest(body: unknown): string[] {
  if (!isRecord(body)) return ["body: expected a JSON object"];
  const faults = Object.keys(body)
    .filter((key) => !TOP.has(key))
    .map((key) => `${key}: unknown parameter`);
  const { model, temperature, max_output_tokens } = body;
  if (typeof model !== "string" || model === "") faults.push("model: expected a non-empty string");
  if (temperature !== undefined && (THINKS.test(String(model)) || body["reasoning"] !== undefined)) {
    faults.push("temperature: not supported with this model");
  }
  if (max_output_tokens !== undefined && !(Number(max_output_tokens) >= 16)) {
    faults.push("max_output_tokens: must be at least 16");
  }
  return [...faults, ...checkTools(body), ...checkInput(body), ...checkSurrogates(body)];
}

function checkTools({ tools }: Fields): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) return ["tools: expected a list"];
  const names = tools.map((tool: unknown) => (isRecord(tool) ? tool["name"] : undefined));
  return tools.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isRecord(tool) || tool["type"] !== "function") return [`${at}: expected {type: "function", name, parameters}`];
    const faults: string[] = [];
    const { name, parameters } = tool;
    if (typeof name !== "string" || !NAME.test(name)) faults.push(`${at}.name: must match ${NAME.source}`);
    if (names.indexOf(name) !== index) faults.push(`${at}.name: ${String(name)} is there twice`);
    if (!isRecord(parameters) || parameters["type"] !== "object")
      faults.push(`${at}.parameters: expected type "object"`);
    if (tool["strict"] !== false) faults.push(`${at}.strict: without it every field of the schema must be required`);
    return faults;
  });
}

function checkInput({ input, store }: Fields): string[] {
  if (!Array.isArray(input) || input.length === 0) return ["input: expected a non-empty list of items"];
  const items = input.map((item: unknown) => (isRecord(item) ? item : {}));
  const open = new Set<string>();
  const faults = items.flatMap((item, index) => {
    const at = `input[${index}]`;
    const ofItem = [...checkItem(item, at), ...checkPair(item, open, at)];
    if (item["type"] !== "reasoning") return ofItem;
    return [...ofItem, ...checkThought(item, items[index + 1], { at, store })];
  });
  return [...faults, ...[...open].map((id) => `input: no tool output found for function call ${id}`)];
}

function checkItem(item: Fields, at: string): string[] {
  const type = String(item["type"] ?? "message");
  const known = Object.hasOwn(ITEMS, type) ? ITEMS[type] : undefined;
  if (known === undefined) return [`${at}.type: unknown item ${type}`];
  const faults = Object.keys(item)
    .filter((key) => !known.includes(key))
    .map((key) => `${at}.${key}: unknown parameter`);
  if (type === "message") faults.push(...checkMessage(item, at));
  if (type === "function_call") faults.push(...checkCall(item, at));
  if (type === "function_call_output" && typeof item["output"] !== "string") faults.push(`${at}.output: expected text`);
  return faults;
}

function checkMessage({ role, content }: Fields, at: string): string[] {
  if (!["user", "assistant", "system", "developer"].includes(String(role))) return [`${at}.role: unknown role ${role}`];
  const isText = typeof content === "string" ? content.trim() !== "" : Array.isArray(content) && content.length > 0;
  return isText ? [] : [`${at}.content: expected text that is not blank, or parts`];
}

function checkCall({ call_id, name, arguments: args }: Fields, at: string): string[] {
  const faults: string[] = [];
  if (typeof call_id !== "string" || call_id === "" || call_id.length > MAX_ID) {
    faults.push(`${at}.call_id: expected 1 to ${MAX_ID} characters`);
  }
  if (typeof name !== "string" || !NAME.test(name)) faults.push(`${at}.name: must match ${NAME.source}`);
  if (typeof args !== "string" || !isObjectText(args))
    faults.push(`${at}.arguments: expected the text of a JSON object`);
  return faults;
}

const isObjectText = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false; // not JSON: exactly what is asked here
  }
};

function checkPair({ type, call_id }: Fields, open: Set<string>, at: string): string[] {
  const id = String(call_id);
  if (type === "function_call") {
    if (open.has(id)) return [`${at}.call_id: ${id} is there twice`];
    open.add(id);
    return [];
  }
  if (type !== "function_call_output" || open.delete(id)) return [];
  return [`${at}.call_id: no tool call found for function call output with call_id ${id}`];
}

interface Where {
  readonly at: string;
  readonly store: unknown;
}

function checkThought(item: Fields, next: Fields | undefined, { at, store }: Where): string[] {
  const faults: string[] = [];
  if (!Array.isArray(item["summary"])) faults.push(`${at}.summary: missing required parameter`);
  if (typeof item["id"] !== "string" || !item["id"].startsWith("rs_"))
    faults.push(`${at}.id: expected an id that begins with rs_`);
  if (store === false && typeof item["encrypted_content"] !== "string") {
    faults.push(`${at}: item ${String(item["id"])} not found: items are not persisted when store is false`);
  }
  const isFollowed =
    next?.["type"] === "function_call" || next?.["type"] === "reasoning" || next?.["role"] === "assistant";
  return isFollowed ? faults : [...faults, `${at}: reasoning was provided without its required following item`];
}

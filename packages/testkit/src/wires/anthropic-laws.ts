import { checkSurrogates, isRecord, NAME } from "../strict.ts";

type Fields = Readonly<Record<string, unknown>>;

const TOP = new Set(
  `model max_tokens messages system tools tool_choice stream temperature top_p top_k stop_sequences metadata thinking
  output_config service_tier`.split(/\s+/),
);
/** Cache marks that one request may carry. */
const MARKS = 4;
const ID = /^[a-zA-Z0-9_-]{1,128}$/;

/** The laws a real Anthropic messages endpoint enforces, each breach one sentence. Empty: it would be accepted. */
export function checkAnthropicRequest(body: unknown): string[] {
  if (!isRecord(body)) return ["body: expected a JSON object"];
  const faults = Object.keys(body)
    .filter((key) => !TOP.has(key))
    .map((key) => `${key}: extra inputs are not permitted`);
  if (typeof body["model"] !== "string" || body["model"] === "") faults.push("model: expected a non-empty string");
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (marks > MARKS) faults.push(`cache_control: ${marks} blocks are marked, at most ${MARKS} may be`);
  return [
    ...faults,
    ...checkSettings(body),
    ...checkSystem(body["system"]),
    ...checkTools(body),
    ...checkMessages(body["messages"]),
    ...checkThinking(body),
    ...checkSurrogates(body),
  ];
}

function checkSettings({ max_tokens, thinking, temperature }: Fields): string[] {
  const faults: string[] = [];
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) faults.push("max_tokens: expected a positive integer");
  if (!isRecord(thinking) || thinking["type"] === "disabled") return faults;
  if (temperature !== undefined && temperature !== 1)
    faults.push("temperature: may only be 1 when thinking is enabled");
  if (thinking["type"] === "adaptive") return faults;
  const budget = Number(thinking["budget_tokens"]);
  if (!(budget >= 1024)) faults.push("thinking.budget_tokens: must be at least 1024");
  if (budget >= Number(max_tokens)) faults.push("max_tokens: must be greater than thinking.budget_tokens");
  return faults;
}

function checkSystem(system: unknown): string[] {
  if (system === undefined) return [];
  if (typeof system === "string") return system.trim() === "" ? ["system: blank text"] : [];
  if (!Array.isArray(system) || system.length === 0) return ["system: expected text or a non-empty list of blocks"];
  return system.flatMap((block: unknown, at) => checkText(block, `system[${at}]`));
}

function checkText(block: unknown, at: string): string[] {
  if (!isRecord(block) || block["type"] !== "text" || typeof block["text"] !== "string")
    return [`${at}: expected text`];
  const unknown = unknownKeys(block, ["type", "text", "cache_control", "citations"], at);
  return block["text"].trim() === ""
    ? [...unknown, `${at}: text content blocks must contain non-whitespace text`]
    : unknown;
}

const unknownKeys = (block: Fields, known: readonly string[], at: string): string[] =>
  Object.keys(block)
    .filter((key) => !known.includes(key))
    .map((key) => `${at}.${key}: extra inputs are not permitted`);

function checkTools({ tools, tool_choice }: Fields): string[] {
  if (tools === undefined) return tool_choice === undefined ? [] : ["tool_choice: only allowed with tools"];
  if (!Array.isArray(tools)) return ["tools: expected a list"];
  const seen = new Set<unknown>();
  return tools.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isRecord(tool)) return [`${at}: expected an object`];
    const faults = unknownKeys(tool, ["name", "description", "input_schema", "cache_control", "type"], at);
    const { name, input_schema } = tool;
    if (typeof name !== "string" || !NAME.test(name)) faults.push(`${at}.name: must match ${NAME.source}`);
    if (seen.has(name)) faults.push(`${at}.name: tool names must be unique`);
    seen.add(name);
    if (!isRecord(input_schema) || input_schema["type"] !== "object")
      faults.push(`${at}.input_schema.type: must be object`);
    return faults;
  });
}

function checkMessages(messages: unknown): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return ["messages: at least one message is required"];
  const list = messages.map((message: unknown) => (isRecord(message) ? message : {}));
  const faults = list.flatMap((message, index) => checkMessage(message, list[index - 1], `messages[${index}]`));
  const open = callsIn(list.at(-1));
  return open.length > 0 ? [...faults, `messages (end): tool_use without tool_result: ${open.join(", ")}`] : faults;
}

const callsIn = (message: Fields | undefined): readonly string[] =>
  blocksIn(message?.["content"]).flatMap((block) => (block["type"] === "tool_use" ? [String(block["id"])] : []));

function checkMessage(message: Fields, before: Fields | undefined, at: string): string[] {
  const role = String(message["role"]);
  if (role !== "user" && role !== "assistant") return [`${at}.role: must be user or assistant`];
  const faults = unknownKeys(message, ["role", "content"], at);
  if (before === undefined && role !== "user") faults.push(`${at}: the first message must be a user's`);
  if (role === before?.["role"]) faults.push(`${at}: roles must alternate`);
  const blocks = blocksIn(message["content"]);
  if (blocks.length === 0) faults.push(`${at}.content: must not be empty`);
  faults.push(...blocks.flatMap((block, n) => checkBlock(block, role, `${at}.content[${n}]`)));
  return [...faults, ...checkResults(callsIn(before), blocks, at)];
}

function blocksIn(content: unknown): readonly Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map((block: unknown) => (isRecord(block) ? block : {})) : [];
}

/** All results of the calls before, first of all, and no others. */
function checkResults(open: readonly string[], blocks: readonly Fields[], at: string): string[] {
  const results = blocks.flatMap((block) => (block["type"] === "tool_result" ? [String(block["tool_use_id"])] : []));
  const faults = open
    .filter((id) => !results.includes(id))
    .map((id) => `${at}: tool_use without tool_result immediately after: ${id}`);
  for (const [n, id] of results.entries()) {
    if (!open.includes(id) || results.indexOf(id) !== n) faults.push(`${at}: unexpected tool_result ${id}`);
  }
  const firstOther = blocks.findIndex((block) => block["type"] !== "tool_result");
  if (firstOther !== -1 && firstOther < results.length) faults.push(`${at}: tool_result blocks must come first`);
  return faults;
}

function checkBlock(block: Fields, role: string, at: string): string[] {
  const type = String(block["type"]);
  const allowed =
    role === "user" ? ["text", "image", "tool_result"] : ["text", "tool_use", "thinking", "redacted_thinking"];
  if (!allowed.includes(type)) return [`${at}.type: ${type} is not allowed in a ${role} message`];
  switch (type) {
    case "text":
      return checkText(block, at);
    case "tool_use":
      return checkCall(block, at);
    case "tool_result":
      return checkResult(block, at);
    case "thinking":
      return [
        ...unknownKeys(block, ["type", "thinking", "signature"], at),
        ...(typeof block["signature"] === "string" && block["signature"] !== ""
          ? []
          : [`${at}.signature: field required`]),
      ];
    default:
      return [];
  }
}

function checkCall(block: Fields, at: string): string[] {
  const faults = unknownKeys(block, ["type", "id", "name", "input", "cache_control"], at);
  if (typeof block["id"] !== "string" || !ID.test(block["id"])) faults.push(`${at}.id: must match ${ID.source}`);
  if (typeof block["name"] !== "string" || !NAME.test(block["name"]))
    faults.push(`${at}.name: must match ${NAME.source}`);
  if (!isRecord(block["input"])) faults.push(`${at}.input: must be an object`);
  return faults;
}

function checkResult(block: Fields, at: string): string[] {
  const faults = unknownKeys(block, ["type", "tool_use_id", "content", "is_error", "cache_control"], at);
  const { content } = block;
  if (typeof content === "string")
    return content === "" && block["is_error"] === true ? [...faults, `${at}.content: empty`] : faults;
  return [...faults, ...blocksIn(content).flatMap((part, n) => checkText(part, `${at}.content[${n}]`))];
}

/** With thinking on, an answer that is still being worked on (calls, then results) must begin with a thought. */
function checkThinking({ thinking, messages }: Fields): string[] {
  if (!isRecord(thinking) || thinking["type"] !== "enabled" || !Array.isArray(messages)) return [];
  const all = messages as readonly unknown[];
  const lastUser = all.findLastIndex(
    (message) => isRecord(message) && message["role"] === "user" && !isResults(message),
  );
  const first = all.slice(lastUser + 1).find((message) => isRecord(message) && message["role"] === "assistant");
  const opener = isRecord(first) ? blocksIn(first["content"])[0]?.["type"] : "thinking";
  if (opener === "thinking" || opener === "redacted_thinking") return [];
  return [`messages: expected thinking, but found ${String(opener)}: the answer under way must start with a thought`];
}

const isResults = (message: Fields): boolean =>
  blocksIn(message["content"]).every(({ type }) => type === "tool_result");

import { checkSurrogates, isRecord, NAME } from "../strict.ts";

type Fields = Readonly<Record<string, unknown>>;

const TOP = new Set("model messages tools stream format options keep_alive think truncate shift".split(" "));
const OPTIONS: Readonly<Record<string, (value: unknown) => boolean>> = {
  num_ctx: (value) => Number.isInteger(value) && Number(value) > 0,
  num_predict: Number.isInteger,
  temperature: (value) => typeof value === "number",
};
const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content"],
  user: ["role", "content", "images"],
  assistant: ["role", "content", "thinking", "tool_calls"],
  tool: ["role", "content", "tool_name"],
};

/**
 * What an Ollama server does not read as it was meant, each breach one sentence: the server itself is lenient, and
 * silently drops what it does not know. Empty: nothing is lost.
 */
export function checkOllamaRequest(body: unknown): string[] {
  if (!isRecord(body)) return ["body: expected a JSON object"];
  const { model, stream } = body;
  return [
    ...unknownKeys(body, [...TOP], "body"),
    ...(typeof model === "string" && model !== "" ? [] : ["model: expected a non-empty string"]),
    // Absent means true there, whatever the asker is ready for.
    ...(typeof stream === "boolean" ? [] : ["stream: expected true or false"]),
    ...checkOptions(body["options"]),
    ...checkSettings(body),
    ...checkTools(body["tools"]),
    ...checkMessages(body["messages"]),
    ...checkSurrogates(body),
  ];
}

const unknownKeys = (object: Fields, known: readonly string[], at: string): string[] =>
  Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => `${at}.${key}: nothing reads it`);

function checkOptions(options: unknown): string[] {
  if (options === undefined) return [];
  if (!isRecord(options)) return ["options: expected an object"];
  return Object.entries(options).flatMap(([key, value]) => {
    if (!Object.hasOwn(OPTIONS, key)) return [`options.${key}: invalid option provided`];
    return OPTIONS[key]?.(value) === true ? [] : [`options.${key}: has the wrong type`];
  });
}

function checkSettings({ think, keep_alive }: Fields): string[] {
  const faults: string[] = [];
  if (!(think === undefined || typeof think === "boolean" || ["low", "medium", "high"].includes(String(think))))
    faults.push("think: expected true, false, low, medium or high");
  if (typeof keep_alive === "string" && !/^-?[\d.]+(?:ms|s|m|h)(?:[\d.]+(?:ms|s|m|h))*$/.test(keep_alive))
    faults.push(`keep_alive: ${keep_alive} is no duration`);
  return faults;
}

function checkTools(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ["tools: expected a non-empty list, or none at all"];
  return tools.flatMap((tool: unknown, index) => {
    const target = isRecord(tool) && tool["type"] === "function" ? tool["function"] : undefined;
    if (!isRecord(target)) return [`tools[${index}]: expected {type: "function", function: {…}}`];
    const { name, parameters } = target;
    return [
      ...(typeof name === "string" && NAME.test(name)
        ? []
        : [`tools[${index}].function.name: must match ${NAME.source}`]),
      ...(isRecord(parameters) && parameters["type"] === "object"
        ? []
        : [`tools[${index}].function.parameters: no object`]),
    ];
  });
}

function checkMessages(messages: unknown): string[] {
  if (!Array.isArray(messages) || messages.length === 0) return ["messages: expected a non-empty list"];
  const open: string[] = [];
  const faults = messages.flatMap((message: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isRecord(message)) return [`${at}: expected an object`];
    return [...checkMessage(message, at), ...checkOrder(message, open, at)];
  });
  return open.length > 0 ? [...faults, `messages (end): calls without a result: ${open.join(", ")}`] : faults;
}

function checkMessage(message: Fields, at: string): string[] {
  const { role, content, images } = message;
  const known = typeof role === "string" && Object.hasOwn(KEYS, role) ? KEYS[role] : undefined;
  if (known === undefined) return [`${at}.role: unknown role ${String(role)}`];
  const faults = unknownKeys(message, known, at);
  if (typeof content !== "string") faults.push(`${at}.content: expected text`);
  else if (content.trim() === "" && message["tool_calls"] === undefined && images === undefined)
    faults.push(`${at}.content: blank text`);
  if (images !== undefined && !(Array.isArray(images) && images.every(isBase64)))
    faults.push(`${at}.images: expected base64 texts without a data: head`);
  return faults;
}

const isBase64 = (text: unknown): boolean => typeof text === "string" && /^[A-Za-z0-9+/]+=*$/.test(text);

/** Results have no ids here: they answer the calls before them by name, in order. */
function checkOrder(message: Fields, open: string[], at: string): string[] {
  if (message["role"] === "tool") {
    const name = String(message["tool_name"]);
    const expected = open.shift();
    return name === expected ? [] : [`${at}.tool_name: ${name} answers no call that is open here`];
  }
  const faults = open.length > 0 ? [`${at}: stands before the results of ${open.join(", ")}`] : [];
  open.length = 0;
  const calls = message["tool_calls"];
  if (calls === undefined) return faults;
  if (!Array.isArray(calls) || calls.length === 0) return [...faults, `${at}.tool_calls: expected a non-empty list`];
  for (const [n, call] of (calls as readonly unknown[]).entries()) {
    const target = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(target) || typeof target["name"] !== "string" || !NAME.test(target["name"])) {
      faults.push(`${at}.tool_calls[${n}].function.name: must match ${NAME.source}`);
      continue;
    }
    if (!isRecord(target["arguments"])) faults.push(`${at}.tool_calls[${n}].function.arguments: must be an object`);
    open.push(target["name"]);
  }
  return faults;
}

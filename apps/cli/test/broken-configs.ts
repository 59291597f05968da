export interface Broken {
  readonly title: string;
  readonly text: string | Uint8Array;
  /** The whole of stderr after `smith: <file>`, line by line. */
  readonly says: readonly string[];
}

const PROVIDER = '{ "name": "a", "kind": "ollama" }';

/** Configuration files that must be refused, each with what is said of it. */
export const BROKEN: readonly Broken[] = [
  {
    title: "JSON that breaks off",
    text: '{ "max_rounds": ',
    says: [':1:17: value expected at "end of file". Mend the JSON there.'],
  },
  {
    title: "a missing comma",
    text: '{\n  "max_rounds": 1\n  "mode": "ask"\n}',
    says: [':3:3: comma expected at "\\"mode\\"". Mend the JSON there.'],
  },
  {
    title: "words after the end",
    text: '{ "mode": "full" }\nx',
    says: [':2:1: invalid symbol at "x". Mend the JSON there.'],
  },
  {
    title: "a brace too many",
    text: '{ "mode": "full" }}',
    says: [':1:19: end of file expected at "}". Mend the JSON there.'],
  },
  { title: "a text", text: '"mode"', says: [':1:1: expected an object { … }, got "mode".'] },
  { title: "null", text: "null", says: [":1:1: expected an object { … }, got null."] },
  {
    title: "an unknown key at the top, with the nearest name",
    text: '{\n  "defualt_model": "m"\n}',
    says: [":2:3: defualt_model is no configuration key. Did you mean default_model?"],
  },
  {
    title: "a key that belongs elsewhere",
    text: '{ "api_url": "http://h" }',
    says: [":1:3: api_url is no configuration key. Did you mean llm_config.api_url?"],
  },
  {
    title: "an unknown key inside, with the nearest name",
    text: '{ "context_management": {\n    "compact": { "keep_message": 3 } } }',
    says: [
      ":2:18: context_management.compact.keep_message is no configuration key. Did you mean context_management.compact.keep_messages?",
    ],
  },
  {
    title: "an unknown key in a list, with the nearest name",
    text: '{ "providers": [{ "name": "a", "kind": "ollama", "api_kye": "sk-1" }] }',
    says: [":1:50: providers.0.api_kye is no configuration key. Did you mean providers.0.api_key?"],
  },
  {
    title: "an unknown key like no other",
    text: '{ "zzzzzzzzzzzz": 1 }',
    says: [":1:3: zzzzzzzzzzzz is no configuration key. See docs/CONFIG.md for every key."],
  },
  {
    title: "a service's options, which no file may set",
    text: '{ "services": { "model": {} } }',
    says: [":1:17: services.model is no configuration key. See docs/CONFIG.md for every key."],
  },
  {
    title: "a text for a boolean",
    text: '{ "llm_config": { "stream": "yes" } }',
    says: [':1:29: llm_config.stream is "yes": expected boolean, received string.'],
  },
  {
    title: "a number in quotes",
    text: '{ "max_rounds": "80" }',
    says: [':1:17: max_rounds is "80": expected number, received string.'],
  },
  { title: "NaN", text: '{ "temperature": NaN }', says: [':1:18: invalid symbol at "NaN". Mend the JSON there.'] },
  {
    title: "a number beyond all bounds",
    text: '{ "temperature": 1e999 }',
    says: [":1:18: temperature is Infinity: expected number, received Infinity."],
  },
  {
    title: "a negative number",
    text: '{ "max_tokens": -1 }',
    says: [":1:17: max_tokens is -1: too small: expected number to be >0."],
  },
  {
    title: "an empty text",
    text: '{ "default_model": "" }',
    says: [':1:20: default_model is "": too small: expected string to have >=1 characters.'],
  },
  {
    title: "a list for an object",
    text: '{ "llm_config": [] }',
    says: [":1:17: llm_config is []: expected object, received array."],
  },
  {
    title: "an object for a list",
    text: '{ "llm_config": { "retry_backoff_ms": {} } }',
    says: [":1:39: llm_config.retry_backoff_ms is {}: expected array, received object."],
  },
  {
    title: "an empty list where one is needed",
    text: '{ "empty_response_retry_backoff_ms": [] }',
    says: [":1:38: empty_response_retry_backoff_ms is []: too small: expected array to have >=1 items."],
  },
  {
    title: "null, which only a flag may say",
    text: '{ "default_model": null }',
    says: [":1:20: default_model is null: expected string, received null."],
  },
  {
    title: "__proto__",
    text: '{ "__proto__": { "polluted": 1 } }',
    says: [":1:3: __proto__ is no configuration key. Remove it."],
  },
  {
    title: "__proto__ in a file with comments",
    text: '{ // a comment\n  "models": { "__proto__": "x", },\n}',
    says: [":2:15: models.__proto__ is no configuration key. Remove it."],
  },
  {
    title: "constructor",
    text: '{ "services": { "tool": { "constructor": { "prototype": {} } } } }',
    says: [":1:27: services.tool.constructor is no configuration key. Remove it."],
  },
  {
    title: "two providers of one name",
    text: `{ "providers": [${PROVIDER}, ${PROVIDER}] }`,
    says: [
      ':1:16: providers is [{"name":"a","kind":"ollama"},{"name":"a","kind":"ollama"}]: expected provider names to be unique.',
    ],
  },
  {
    title: "an unknown kind of provider",
    text: '{ "providers": [{ "name": "a", "kind": "olama" }] }',
    says: [
      ':1:40: providers.0.kind is "olama": expected one of "openai_chat"|"openai_responses"|"anthropic"|"ollama"|"ai_sdk".',
    ],
  },
  {
    title: "a provider without a name",
    text: '{ "providers": [\n  { "kind": "ollama" }] }',
    says: [":2:3: providers.0.name is missing: expected string."],
  },
  {
    title: "a secret of the wrong type, which is not printed",
    text: '{ "providers": [{ "name": "a", "kind": "ollama", "api_key": 424242 }] }',
    says: [':1:61: providers.0.api_key is "***": expected string, received number.'],
  },
  {
    title: "an MCP server that is neither",
    text: '{ "mcp_servers": { "a": { "comand": "x" } } }',
    says: [
      ":1:25: mcp_servers.a.command is missing: expected string.",
      ":1:27: mcp_servers.a.comand is no configuration key. Did you mean mcp_servers.a.command?",
    ],
  },
  ...["../x", "/etc/passwd", "C:\\x", "a/../../b"].map((path) => ({
    title: `an index file that leads out: ${path}`,
    text: JSON.stringify({ index_file: path }),
    says: [`:1:15: index_file is ${JSON.stringify(path)}: expected a relative path without '..'.`],
  })),
  {
    title: "a role that can't answer the user",
    text: '{ "active_role": "worker" }',
    says: [':1:18: active_role is "worker": expected direct, orchestrator or a custom role that answers you.'],
  },
  {
    title: "an escape sequence as a value",
    text: '{ "mode": "\\u001b[31mred" }',
    says: [':1:11: mode is "\\u001b[31mred": expected one of "full"|"ask"|"plan".'],
  },
  {
    title: "two faults, each with its own line",
    text: '{\n  "max_rounds": 0,\n  "mode": "yolo"\n}',
    says: [
      ":2:17: max_rounds is 0: too small: expected number to be >0.",
      ':3:11: mode is "yolo": expected one of "full"|"ask"|"plan".',
    ],
  },
  {
    title: "a hundred thousand levels",
    text: `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    says: [": it is nested too deeply to be a configuration. Mend it, or move it away."],
  },
  {
    title: "bytes that are no UTF-8",
    text: Uint8Array.of(0x7b, 0xff, 0x7d),
    says: [':1:2: invalid symbol at "\uFFFD". Mend the JSON there.'],
  },
];

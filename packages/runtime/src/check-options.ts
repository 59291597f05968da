import { isAbsolute } from "node:path";
import { MODES } from "@smith/contract/config";
import { nearest } from "@smith/contract/edit-distance";
import { AgentError } from "@smith/contract/error";
import type { ChatModel } from "@smith/contract/model";
import { z } from "zod";
import { SERVICE_NAMES } from "./services.ts";

// What TypeScript says of options is checked for callers without it, too: where they hand it over, with the name of the field.

const is = <T>(what: string, test: (value: unknown) => boolean) =>
  z.custom<T>(test, { error: ({ input }) => `expected ${what}, got ${nameOf(input)}` });
const callable = is("a function", (value) => typeof value === "function");
const table = is("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
const text = is("a text that is not empty", (value) => typeof value === "string" && value !== "");
const path = is(
  "an absolute path, or null",
  (value) => value === null || (typeof value === "string" && isAbsolute(value)),
);
const hasKeys = (value: unknown, keys: Readonly<Record<string, string>>) =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(keys).every(([key, type]) => typeof (value as Record<string, unknown>)[key] === type);

const tool = is("a tool, as defineTool makes it", (value) =>
  hasKeys(value, { name: "string", description: "string", run: "function", schema: "object" }),
);
const model = is("a ChatModel: provider, a text, and chat, a function", (value) =>
  hasKeys(value, { provider: "string", chat: "function" }),
);

const Options = z.strictObject({
  ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, table.optional()])),
  cwd: is("a path, or a function that returns one", (value) =>
    ["string", "function"].includes(typeof value),
  ).optional(),
  env: table.optional(),
  config: table.optional(),
  defaults: table.optional(),
  user_file: path.optional(),
  must_exist: z.boolean().optional(),
  database: path.optional(),
  model: text.optional(),
  chat_model: model.optional(),
  expand: callable.optional(),
  user_folder: text.optional(),
  confirm: callable.optional(),
  tools: z.array(tool, { error: ({ input }) => `expected a list of tools, got ${nameOf(input)}` }).optional(),
  now: callable.optional(),
  newId: callable.optional(),
  services: table.optional(),
  service_handles: table.optional(),
});

const Run = z.strictObject({
  conversation_id: text.optional(),
  history: z
    .array(z.unknown(), { error: ({ input }) => `expected a list of messages, got ${nameOf(input)}` })
    .optional(),
  signal: is("an AbortSignal", (value) => value instanceof AbortSignal).optional(),
  label: text.optional(),
  role: text.optional(),
  model: text.optional(),
  mode: z.enum(MODES, { error: ({ input }) => `expected ${MODES.join(", ")}, got ${nameOf(input)}` }).optional(),
  output_schema: z.unknown().optional(),
});

const Input = z.union(
  [
    z.string(),
    z.strictObject({
      text: z.string(),
      images: z.array(z.strictObject({ media_type: z.string(), bytes: z.instanceof(Uint8Array) })).optional(),
      notices: z.array(z.string()).optional(),
    }),
  ],
  { error: ({ input }) => `expected a text, or { text, images? }, got ${nameOf(input)}` },
);

/** @throws {AgentError} `schema`/`bad_options`, naming each field that does not fit. */
export const checkOptions = (options: unknown): void => check("The options of an agent", Options, options);

/** The same for one run. */
export function checkRun(input: unknown, options: unknown): void {
  check("The input of a run", Input, input);
  check("The options of a run", Run, options);
}

function check(what: string, schema: z.ZodType, value: unknown): void {
  const checked = schema.safeParse(value);
  if (checked.success) return;
  const faults = checked.error.issues.map((issue) => faultOf(issue, schema));
  throw new AgentError({
    kind: "schema",
    code: "bad_options",
    origin: "runtime/agent",
    message: `${what} can't be taken: ${faults.join("; ")}. See docs/API.md.`,
  });
}

function faultOf(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code !== "unrecognized_keys") return [...issue.path.map(String), issue.message].join(": ");
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return issue.keys
    .map((key) => {
      const near = nearest(key, known);
      return `${key} is no option${near === null ? "" : ` (did you mean ${near}?)`}`;
    })
    .join("; ");
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "object") return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

const count = z.number().nullable();
const Reply = z.object({
  content: z.string(),
  reasoning: z.string(),
  tool_calls: z.array(z.object({ id: z.string().min(1), name: z.string().min(1), arguments: z.string() })),
  finish_reason: z.enum(["stop", "tool_calls", "length", "content_filter", "refusal"]),
  usage: z.object({
    ...{ input_tokens: count, output_tokens: count, cached_tokens: count, reasoning_tokens: count, cost_usd: count },
  }),
  model: z.string(),
  warnings: z.array(z.string()),
});

/** The model of a caller's, whose answers are looked at before anybody relies on them. */
export const checkedModel = (chat: ChatModel): ChatModel =>
  Object.freeze<ChatModel>({
    ...chat,
    async chat(request, options) {
      const reply = await chat.chat(request, options);
      const checked = Reply.safeParse(reply);
      if (checked.success) return reply;
      throw new AgentError({
        kind: "protocol",
        code: "bad_reply",
        origin: "runtime/agent",
        message: `What chat_model (${chat.provider}) answered is no whole ChatReply: ${checked.error.issues.map((issue) => faultOf(issue, Reply)).join("; ")}. See docs/API.md.`,
      });
    },
  });

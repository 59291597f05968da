import type { TranscriptMessage } from "@smith/contract/message";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFilled: Check = (value) => typeof value === "string" && value !== "";
const isFlag: Check = (value) => typeof value === "boolean";
const isWhole: Check = (value) => Number.isSafeInteger(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isOneOf =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));
const is =
  (wanted: string): Check =>
  (value) =>
    value === wanted;

type Fields = Readonly<Record<string, Check>>;

/** An object with all the required fields, perhaps some of the optional ones, and no others. */
function isObjectOf(required: Fields, optional: Fields = {}): Check {
  const checks = new Map(Object.entries({ ...required, ...optional }));
  const names = Object.keys(required);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const [name, field] of Object.entries(value)) if (checks.get(name)?.(field) !== true) return false;
    return names.every((name) => Object.hasOwn(value, name));
  };
}

const place = { turn_id: isFilled, round: isCount, ts: isWhole };
const isCall = isObjectOf({ id: isFilled, name: isFilled, arguments: isText });
const isPart = isOneOf(
  isObjectOf({ type: is("text"), text: isText }),
  isObjectOf({ type: is("image"), media_type: isText, blob: isText }),
);

const isUser = isObjectOf({ role: is("user"), content: isOneOf(isText, isListOf(isPart)), ...place });
const isAssistant = isObjectOf(
  { role: is("assistant"), content: isText, ...place },
  { tool_calls: isListOf(isCall), reasoning: isText, is_error: isFlag },
);
const isTool = isObjectOf(
  { role: is("tool"), content: isText, tool_call_id: isFilled, name: isText, ok: isFlag, ...place },
  { is_error: isFlag, recall_key: isText },
);

/**
 * Whether a value out of JSON is a message; what it accepts, the schema accepts (a test compares them). Reading a long
 * session spends most of its time in the schema otherwise. A `false` is not final: the schema may know a newer field.
 */
export const isSurelyMessage = (value: unknown): value is TranscriptMessage =>
  isTool(value) || isAssistant(value) || isUser(value);

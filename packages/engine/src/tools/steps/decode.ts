import { AgentError } from "@smith/contract/error";
import type { Done, Step } from "../work.ts";
import { refusal } from "./refusal.ts";

/** Levels of objects and lists: what lies deeper can be sent back to no endpoint. */
const MAX_DEPTH = 100;
/** Characters of broken arguments that are looked into; longer ones are only refused. */
const EXPLAINED = 100_000;
/** Characters of the nearest valid form that the model is shown. */
const SHOWN = 200;

/**
 * Arguments as the model sent them → an object. Text that is no JSON object never runs, not even as `{}`; only a comma
 * too many at the end of an object or a list, which leaves no doubt about what was meant, is taken out, and said so.
 */
export const decode: Step = async (work, next, { emit }) => {
  const { name, arguments: text } = work.call;
  if (/^[ \t\r\n]*$/.test(text)) return next({ ...work, args: {} }); // legal for a tool without required arguments
  const parsed = parse(text);
  if ("value" in parsed) {
    const fault = faultOf(parsed.value);
    return fault === null ? next({ ...work, args: parsed.value }) : broken(fault);
  }
  if (text.length > EXPLAINED) return broken(parsed.fault);
  const mended = parse(text.replace(TRAILING_COMMA, (found) => (found === "," ? "" : found)));
  if (!("value" in mended) || faultOf(mended.value) !== null) return broken(parsed.fault, await nearest(text));
  emit({
    type: "notice",
    level: "warn",
    text: `The arguments of ${name} had a comma too many before a closing bracket; it was left out.`,
  });
  return next({ ...work, args: mended.value });
};

/** Steps over strings, also one without an end; of commas it finds those between a value and a closing bracket. */
const TRAILING_COMMA = /"(?:[^"\\]|\\[\s\S])*"?|,(?<=["\]}\w][ \t\r\n]*,)(?=[ \t\r\n]*[}\]])/g;

type Parsed = { readonly value: unknown } | { readonly fault: string };

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { fault: /end of JSON input$/.test(why) ? `${why}, after ${text.length} characters` : why };
  }
}

/** Why valid JSON can be no arguments; null when it can. */
function faultOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? "an array" : value === null ? "null" : typeof value;
    return `expected an object, got ${got}`;
  }
  return isTooDeep(value) ? `nested deeper than ${MAX_DEPTH} levels` : null;
}

function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => Object.values(each).filter((inner) => typeof inner === "object" && inner !== null));
  }
  return false;
}

/** What the model may have meant, to be shown and never run; empty where nothing is near. */
async function nearest(text: string): Promise<string> {
  const { jsonrepair } = await import("jsonrepair");
  try {
    const repaired = jsonrepair(text).trim();
    const parsed = parse(repaired);
    if (!("value" in parsed) || faultOf(parsed.value) !== null) return "";
    return repaired.length > SHOWN ? `${repaired.slice(0, SHOWN).toWellFormed()}…` : repaired;
  } catch {
    return ""; // beyond repair, or nested beyond the stack: there is no form to show
  }
}

function broken(why: string, near = ""): Done {
  const hint = near === "" ? "" : ` The nearest valid form would be: ${near}`;
  return refusal(
    new AgentError({
      kind: "schema",
      code: "bad_arguments",
      origin: "engine/decode",
      message: `The arguments are no JSON object: ${why}. The call was not run; send it again with valid JSON.${hint}`,
    }),
  );
}

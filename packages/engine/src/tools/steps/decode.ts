import { AgentError } from "@smith/contract/error";
import type { Done, Step } from "../executor.ts";
import { refusal } from "./refusal.ts";

/** Arguments as the model sent them → an object. Text that is no JSON object never runs, not even as `{}`. */
export const decode: Step = (work, next) => {
  const text = work.call.arguments.trim();
  if (text === "") return next({ ...work, args: {} }); // legal for a tool without required arguments
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch (thrown) {
    return Promise.resolve(broken(thrown instanceof Error ? thrown.message : String(thrown)));
  }
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return Promise.resolve(broken(`expected an object, got ${Array.isArray(args) ? "an array" : typeof args}`));
  }
  return next({ ...work, args });
};

const broken = (why: string): Done =>
  refusal(
    new AgentError({
      kind: "schema",
      code: "bad_arguments",
      origin: "engine/decode",
      message: `The arguments are no JSON object: ${why}. The call was not run; send it again with valid JSON.`,
    }),
  );

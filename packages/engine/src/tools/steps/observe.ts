import type { Step } from "../work.ts";
import { errorOf } from "./normalise.ts";
import { hookedCall } from "./veto.ts";

/** Hooks are told of each call that reached its handler, with the arguments that ran. */
export const observe: Step = async (work, next, { hooks }) => {
  const done = await next(work);
  if (hooks === null || !done.ran) return done;
  const error = errorOf(done);
  await hooks.afterCall(hookedCall(work), { ok: error === null, text: error?.message ?? done.outcome.content });
  return done;
};

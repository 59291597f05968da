// The hook of trace.mjs; it runs in a thread of its own.
import { appendFileSync } from "node:fs";

export function load(url, context, next) {
  appendFileSync(process.env.SMITH_TRACE, `${url}\n`);
  return next(url, context);
}

import type { Step } from "../work.ts";

const DEFAULT_MAX_CHARS = 20_000;

/** Output beyond the cap is cut, and the cut is said. A tool's own cap wins over the common one. */
export const clamp: Step = async (work, next) => {
  const done = await next(work);
  const cap = work.tool?.max_chars ?? DEFAULT_MAX_CHARS;
  const { content } = done.outcome;
  if (content.length <= cap) return done;
  const kept = content.slice(0, cap).toWellFormed(); // a pair cut in two would be no text
  const text = `${kept}\n[truncated, ${content.length - cap} characters omitted]`;
  return { ...done, outcome: { full_output: content, ...done.outcome, content: text } };
};

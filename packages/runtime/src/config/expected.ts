import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** What was expected in the place of a value, after `x is 3: `; zod's words where they are plain. */
export function expectation(issue: Issue): string {
  if (issue.code === "invalid_union") return `expected ${alternatives(issue)}`;
  const text = issue.message.replace(/^Invalid (input|option): /, "").replace(/, received undefined$/, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * The issues of a union's alternative that the value was most likely meant to be: the one with the fewest, among those
 * that took the value for what it is. None when no alternative did.
 */
export function likeliest(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] {
  const near = issue.errors.filter((each) => each.every((inner) => inner.path.length > 0 || hasKeys(inner)));
  return near.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

const hasKeys = (issue: Issue): boolean => issue.code === "unrecognized_keys";

/** `"all" or array`. */
function alternatives({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const words = errors.flat().flatMap((issue) => {
    if (issue.code === "invalid_type") return [issue.expected as string];
    return issue.code === "invalid_value" ? issue.values.map((value) => JSON.stringify(value)) : [];
  });
  return words.length === 0 ? "another value" : [...new Set(words)].join(" or ");
}

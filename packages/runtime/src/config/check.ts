import { Config } from "@smith/contract/config";
import type { z } from "zod";
import { expectation, likeliest } from "./expected.ts";
import { FORBIDDEN_KEYS, isLayer, type Layer } from "./merge.ts";
import { masked } from "./secrets.ts";
import { nearestPath } from "./suggest.ts";

/** One thing wrong in a layer, with the path to it. */
export interface Issue {
  readonly path: readonly (string | number)[];
  /** Whether the key itself is wrong, or the value under it. */
  readonly on: "key" | "value";
  readonly message: string;
}

/** Everything in a layer that the schema refuses; the value got, what was expected, the nearest name. */
export function checkLayer(layer: Layer): readonly Issue[] {
  const forbidden = forbiddenKeys(layer, []);
  if (forbidden.length > 0) return forbidden;
  const parsed = Config.safeParse(layer);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => toIssues(issue, layer));
}

function forbiddenKeys(value: unknown, path: readonly string[]): readonly Issue[] {
  if (!isLayer(value)) return [];
  return Reflect.ownKeys(value).flatMap((key) => {
    const here = [...path, String(key)];
    if (FORBIDDEN_KEYS.has(String(key))) {
      return [{ path: here, on: "key" as const, message: `${here.join(".")} is no configuration key. Remove it.` }];
    }
    return forbiddenKeys(value[String(key)], here);
  });
}

function toIssues(issue: z.core.$ZodIssue, layer: Layer, above: Issue["path"] = []): readonly Issue[] {
  const path = [...above, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], on: "key", message: unknownKey([...path, key]) }));
  }
  if (issue.code === "invalid_key") {
    const why = issue.issues.map((each) => each.message).join(", ");
    return [{ path, on: "key", message: `${path.join(".")} can't be: ${why}.` }];
  }
  const inner = issue.code === "invalid_union" ? likeliest(issue) : [];
  if (inner.length > 0) return inner.flatMap((each) => toIssues(each, layer, path));
  const got = path.reduce<unknown>((value, step) => (value as Layer | undefined)?.[step as string], layer);
  return [{ path, on: "value", message: `${path.join(".")} is ${show(path.join("."), got)}: ${expectation(issue)}.` }];
}

function unknownKey(path: readonly (string | number)[]): string {
  const near = nearestPath(path);
  const mend = near === null ? "See docs/CONFIG.md for every key." : `Did you mean ${near}?`;
  return `${path.join(".")} is no configuration key. ${mend}`;
}

/** As in a file, secrets masked and not too long. */
function show(path: string, value: unknown): string {
  if (value === undefined) return "missing";
  const shown = masked(path, value);
  const text = typeof shown === "number" ? String(shown) : JSON.stringify(shown); // JSON has no word for Infinity
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

import { Config } from "@smith/contract/config";
import type { z } from "zod";
import { leaves } from "./leaves.ts";
import { FORBIDDEN_KEYS, isLayer, type Layer } from "./merge.ts";
import { nearest } from "./nearest.ts";

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

function toIssues(issue: z.core.$ZodIssue, layer: Layer): readonly Issue[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], on: "key", message: unknownKey([...path, key]) }));
  }
  const got = path.reduce<unknown>((value, step) => (value as Layer | undefined)?.[step as string], layer);
  return [{ path, on: "value", message: `${path.join(".")} is ${show(got)}: ${expectation(issue)}.` }];
}

function unknownKey(path: readonly (string | number)[]): string {
  const full = path.join(".");
  const near = nearest(
    full,
    leaves().map((leaf) => leaf.path),
  );
  const mend = near === null ? "See docs/CONFIG.md for every key." : `Did you mean ${near}?`;
  return `${full} is no configuration key. ${mend}`;
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

/** zod's words, turned into what was expected. */
const expectation = (issue: z.core.$ZodIssue): string => {
  const text = issue.message.replace(/^Invalid (input|option): /, "");
  return text.charAt(0).toLowerCase() + text.slice(1);
};

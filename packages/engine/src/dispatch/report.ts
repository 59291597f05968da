import { Report, STATUSES } from "@smith/contract/dispatch";
import type { TargetRole } from "@smith/contract/target-role";
import { z } from "zod";
import { readCitation } from "./citation.ts";

/** A report as far as it could be read, or why it could not. */
export type ReadReport = { readonly report: Report } | { readonly fault: string };

/**
 * Reads a report liberally, then strictly: bare strings become lists, citations in words become entries, omitted fields
 * become empty; what is then still wrong is told in words that say how to mend it.
 */
export function readReport(args: unknown, role: TargetRole): ReadReport {
  const parsed = Report.safeParse(coerceReport(args, role));
  if (parsed.success) return { report: parsed.data };
  return { fault: z.prettifyError(parsed.error).replaceAll("\n", " ") };
}

/** Well-meant input brought into shape; idempotent, and what was accepted stays accepted. */
export function coerceReport(args: unknown, role: TargetRole): unknown {
  if (!isRecord(args)) return args;
  const common = {
    status: coerceStatus(args["status"]),
    summary: typeof args["summary"] === "string" ? args["summary"].trim() : args["summary"],
    limitations: texts(args["limitations"]),
  };
  if (role === "explorer") {
    return { ...common, findings: texts(args["findings"]), evidence: list(args["evidence"]).map(coerceEvidence) };
  }
  return {
    ...common,
    changes: list(args["changes"]).map((entry) => pair(entry, CHANGE)),
    verification: list(args["verification"]).map((entry) => pair(entry, VERIFICATION)),
  };
}

const SYNONYMS: Readonly<Record<(typeof STATUSES)[number], readonly string[]>> = {
  ok: ["okay", "done", "success", "successful", "succeeded", "complete", "completed", "finished", "passed", "fixed"],
  partial: ["incomplete", "partially", "partly", "partially done", "partially completed", "partial success"],
  blocked: ["failed", "fail", "failure", "error", "unable", "impossible", "stuck"],
};

function coerceStatus(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
  return STATUSES.find((status) => status === word || SYNONYMS[status].includes(word)) ?? value;
}

/** A list as it is, one thing as a list of it, a list that came as JSON text, nothing as an empty one. */
function list(value: unknown): readonly unknown[] {
  const given = typeof value === "string" ? (jsonIn(value) ?? value) : value;
  const entries = Array.isArray(given) ? given : [given];
  return entries.filter((entry) => entry !== undefined && entry !== null && !isBlank(entry));
}

const isBlank = (value: unknown): boolean => typeof value === "string" && value.trim() === "";

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a sentence that begins with a bracket
  }
}

/** Texts of a list; entries that are objects become their own JSON rather than an error. */
const texts = (value: unknown): readonly string[] =>
  list(value).map((entry) => (typeof entry === "object" ? JSON.stringify(entry) : String(entry)));

/** The keys of an entry, each with the other names it goes by. */
type Names = readonly [first: readonly [string, ...string[]], second: readonly [string, ...string[]]];
const CHANGE: Names = [
  ["path", "file", "file_path"],
  ["what", "change", "description", "summary"],
];
const VERIFICATION: Names = [
  ["command", "cmd"],
  ["outcome", "result", "output", "status"],
];

/** `{first, second}` of an object, or of a text such as `src/a.ts: renamed` or `npm test → passed`. */
function pair(entry: unknown, [first, second]: Names): unknown {
  if (typeof entry !== "string") return isRecord(entry) ? { [second[0]]: "", ...only(entry, [first, second]) } : entry;
  const match = /^(.*?)\s*(?:→|->|=>|: |\s[-–—]\s)\s*(.*)$/s.exec(entry.trim());
  return { [first[0]]: match?.[1] ?? entry.trim(), [second[0]]: match?.[2] ?? "" };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The named keys as texts, under their first names; others are left out: they are not ours to refuse. */
const only = (
  entry: Readonly<Record<string, unknown>>,
  keys: readonly (readonly [string, ...string[]])[],
): Record<string, unknown> =>
  Object.fromEntries(
    keys.flatMap((names) => {
      const given = names.map((name) => entry[name]).find((value) => value !== undefined && value !== null);
      return given === undefined ? [] : [[names[0], asText(given)]];
    }),
  );

const asText = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value;

/** An evidence entry from an object, or from a citation in words. */
export function coerceEvidence(entry: unknown): unknown {
  if (typeof entry === "string") return readCitation(entry);
  if (!isRecord(entry)) return entry;
  const known = only(entry, [["receipt"], ["path", "file", "file_path"], ["quote", "snippet", "code"], ["note"]]);
  const lines = coerceLines(entry["lines"] ?? entry["line"] ?? [entry["start_line"], entry["end_line"]]);
  const receipt = typeof known["receipt"] === "string" ? known["receipt"].trim().replace(/^(?=\d+$)/, "r") : undefined;
  return { ...known, ...(receipt === undefined ? {} : { receipt }), ...(lines === undefined ? {} : { lines }) };
}

/** `12`, `[12, 20]`, `"12-20"`, `"L12–L20"`, `"lines 12 to 20"` → `"12"` or `"12-20"`. */
function coerceLines(value: unknown): string | undefined {
  const numbers = [value].flat().filter((each) => typeof each === "number" || typeof each === "string");
  const [from, to] = numbers.join("-").match(/\d+/g) ?? [];
  return to === undefined || to === from ? from : `${from}-${to}`;
}

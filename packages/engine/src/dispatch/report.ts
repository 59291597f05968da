import { type Evidence, Report, STATUSES, type TargetRole } from "@smith/contract/dispatch";
import { z } from "zod";

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
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  const given = args as Readonly<Record<string, unknown>>;
  const common = {
    status: coerceStatus(given["status"]),
    summary: typeof given["summary"] === "string" ? given["summary"].trim() : given["summary"],
    limitations: texts(given["limitations"]),
  };
  if (role === "explorer") {
    return { ...common, findings: texts(given["findings"]), evidence: list(given["evidence"]).map(coerceEvidence) };
  }
  return {
    ...common,
    changes: list(given["changes"]).map((entry) => pair(entry, ["path", "what"])),
    verification: list(given["verification"]).map((entry) => pair(entry, ["command", "outcome"])),
  };
}

const SYNONYMS: Readonly<Record<string, (typeof STATUSES)[number]>> = {
  done: "ok",
  success: "ok",
  completed: "ok",
  complete: "ok",
  incomplete: "partial",
  failed: "blocked",
  failure: "blocked",
  error: "blocked",
};

function coerceStatus(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value.trim().toLowerCase();
  return STATUSES.find((status) => status === word) ?? (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : value);
}

const list = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null || value === "") return [];
  return Array.isArray(value) ? value : [value];
};

/** Texts of a list; entries that are objects become their own JSON rather than an error. */
const texts = (value: unknown): readonly unknown[] =>
  list(value)
    .map((entry) => (typeof entry === "object" && entry !== null ? JSON.stringify(entry) : String(entry)))
    .filter((entry) => entry.trim() !== "");

/** `{first, second}` of an object, or of a text such as `src/a.ts: renamed` or `npm test → passed`. */
function pair(entry: unknown, [first, second]: readonly [string, string]): unknown {
  if (typeof entry !== "string") return isRecord(entry) ? { [second]: "", ...only(entry, [first, second]) } : entry;
  const match = /^(.*?)\s*(?:→|->|=>|: )\s*(.*)$/s.exec(entry.trim());
  return match === null
    ? { [first]: entry.trim(), [second]: "" }
    : { [first]: match[1] ?? "", [second]: match[2] ?? "" };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The named keys as texts; others are left out: they are not ours to refuse. */
const only = (entry: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    keys.flatMap((key) => (entry[key] === undefined || entry[key] === null ? [] : [[key, asText(entry[key])]])),
  );

const asText = (value: unknown): unknown => (typeof value === "number" ? String(value) : value);

/** An evidence entry from an object, or from a citation in words. */
export function coerceEvidence(entry: unknown): unknown {
  if (typeof entry === "string") return citation(entry);
  if (!isRecord(entry)) return entry;
  const known = only(entry, ["receipt", "path", "quote", "note"]);
  const lines = coerceLines(entry["lines"] ?? entry["line"]);
  const path = known["path"] ?? asText(entry["file"]);
  return { ...known, ...(path === undefined ? {} : { path }), ...(lines === undefined ? {} : { lines }) };
}

/** `12`, `[12, 20]`, `"12-20"`, `"L12–L20"`, `"lines 12 to 20"` → `"12"` or `"12-20"`. */
function coerceLines(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return coerceLines(value.join("-"));
  const numbers = typeof value === "string" ? value.match(/\d+/g) : null;
  if (numbers === null) return undefined;
  const [from, to] = numbers;
  return to === undefined || to === from ? from : `${from}-${to}`;
}

const RECEIPT = /\br(\d+)\b/;
const PLACE =
  /((?:[\w@.-]+[\\/])*[\w@-][\w@.-]*\.[A-Za-z0-9]+)(?:(?::|#L?|\s+(?:L|lines?\s+))(\d+)(?:\s*(?:-|–|to|,)\s*L?(\d+))?)?/;
const TICKED = /`([^`]+)`/;

/** `src/a.ts:10-14`, `a.ts#L12`, `r7`, and quotes in back-ticks, out of one sentence. */
function citation(text: string): Evidence {
  const receipt = RECEIPT.exec(text)?.[0];
  const place = PLACE.exec(text);
  const quote = TICKED.exec(text)?.[1];
  const lines = place?.[2] === undefined ? undefined : place[3] === undefined ? place[2] : `${place[2]}-${place[3]}`;
  const quoteIsPlace = quote !== undefined && place?.[0].includes(quote) === true;
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(place?.[1] === undefined ? {} : { path: place[1].replaceAll("\\", "/") }),
    ...(lines === undefined ? {} : { lines }),
    ...(quote === undefined || quoteIsPlace ? {} : { quote }),
    note: text,
  };
}

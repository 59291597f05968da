import type { AgentEvent, ToolExecutionEnd } from "@smith/contract/event";
import { safeLine } from "@smith/terminal/safe";
import pc from "picocolors";

export interface Screen {
  /** Colour on stderr. */
  readonly colour: boolean;
  readonly level: "debug" | "info" | "warn" | "error";
  write(line: string): void;
}

/** What happens in a turn, as lines on stderr: one per tool call, and what must be told. */
export function createProgress(screen: Screen): (event: AgentEvent) => void {
  const c = pc.createColors(screen.colour);
  const args = new Map<string, unknown>();
  /** Calls of this turn that nobody could be asked about. */
  let unasked = 0;
  const label = ({ source_role, job_id }: AgentEvent) =>
    source_role === undefined ? "" : c.dim(`  ${source_role} ${(job_id ?? "").slice(0, 4)} `);

  const toolLine = (event: AgentEvent & ToolExecutionEnd): string => {
    const mark = event.ok ? c.green("•") : c.red("•");
    const what = safeLine(subject(args.get(placeOf(event))));
    const summary = safeLine(event.summary);
    args.delete(placeOf(event));
    const about = what === "" || summary.startsWith(what) ? "" : ` ${what}`;
    return `${mark} ${c.bold(safeLine(event.tool))}${about} ${c.dim(shorten(summary))}`;
  };

  const refusedLine = ({ tool, args: given, error }: AgentEvent & { readonly type: "tool_call_refused" }): string => {
    const about = safeLine(subject(given));
    const why = c.dim(shorten(`refused: ${safeLine(error.message)}`));
    return `${c.red("•")} ${c.bold(safeLine(tool))}${about === "" ? "" : ` ${about}`} ${why}`;
  };

  const lineOf = (event: AgentEvent): string | null => {
    switch (event.type) {
      case "tool_execution_finished":
      case "tool_execution_cancelled":
        return toolLine(event);
      case "tool_call_refused":
        return refusedLine(event);
      case "dispatch_started":
        return `${c.cyan("▸")} ${event.target_role} ${event.job_id.slice(0, 4)} ${c.dim(shorten(safeLine(event.task)))}`;
      case "dispatch_finished":
        return `${c.cyan("◂")} ${event.target_role} ${event.job_id.slice(0, 4)} ${endOf(event)}`;
      case "notice":
        return isTold(event.level, screen.level) ? `smith: ${safeLine(event.text)}` : null;
      case "turn_cancel_requested":
        return event.source_role === undefined ? `smith: cancelling (${safeLine(event.reason)}) …` : null;
      case "llm_request_started":
      case "llm_request_completed":
      case "turn_started":
      case "turn_persisted": {
        const text = diagnosisOf(event, screen.level);
        return text === null ? null : c.dim(text);
      }
      case "context_trimmed":
        return c.dim(trimmedText(event));
      case "compact_started":
        return c.dim(`smith: summarising the older part of the context (about ${event.estimated_tokens} tokens) …`);
      case "compact_completed":
        return event.summary_chars === 0 ? null : c.dim(`smith: summarised in ${event.summary_chars} characters`);
      case "llm_retry_scheduled":
        return `smith: ${event.code}; trying again in ${event.delay_ms / 1000} s`;
      case "provider_switched":
        return `smith: ${event.from} failed (${event.code}); going on with ${event.to}`;
      case "tool_execution_started":
      case "prompt_built":
      case "llm_text_delta":
      case "llm_reasoning_delta":
      case "llm_tool_call_detected":
      case "llm_request_cancelled":
      case "dispatch_cancel_requested":
      case "budget_exhausted": // its notice says it in words
      case "turn_completed":
      case "turn_failed": // the door prints the error of the result
      case "turn_recovered":
      case "turn_persist_failed": // its notice says it in words
        return null;
      default:
        return event satisfies never;
    }
  };

  return (event) => {
    if (event.type === "tool_execution_started") args.set(placeOf(event), event.args);
    if (event.type === "tool_call_refused" && event.error.code === "not_confirmed") unasked++;
    const line = lineOf(event);
    if (line !== null) screen.write(`${label(event)}${line}`);
    if ((event.type === "turn_completed" || event.type === "turn_failed") && event.source_role === undefined) {
      if (unasked > 0) screen.write(`smith: ${unaskedText(unasked)}`);
      unasked = 0;
    }
  };
}

/** `error` leaves out what is no error; `warn`, the default, nothing. */
export const isTold = (level: "info" | "warn" | "error", wanted: Screen["level"]): boolean =>
  wanted !== "error" || level === "error";

type Diagnosis = AgentEvent & {
  readonly type: "turn_started" | "turn_persisted" | "llm_request_started" | "llm_request_completed";
};

/** `info` tells of the user's turns, `debug` of every request, too; null: this level tells nothing. */
function diagnosisOf(event: Diagnosis, level: Screen["level"]): string | null {
  if (level !== "info" && level !== "debug") return null;
  if (event.type === "turn_started" || event.type === "turn_persisted") {
    return event.source_role === undefined ? `${event.type} ${event.turn_id}` : null;
  }
  return level === "debug" ? `${event.type} round ${event.round} ${event.model}` : null;
}

const unaskedText = (count: number): string =>
  `mode ask: ${count === 1 ? "a call was" : `${count} calls were`} refused, since nobody can be asked here. On a terminal smith asks; --mode full runs ${count === 1 ? "it" : "them"} unasked.`;

/** What a job came to: `ok, evidence 3 verified`, `cancelled`. */
const endOf = ({ cancelled, status, evidence_counts }: AgentEvent & { readonly type: "dispatch_finished" }): string =>
  `${status}${cancelled ? " (cancelled)" : ""}${countsOf(evidence_counts)}`;

/** What became of the evidence, where there was any: `, evidence 3 verified, 1 unsupported`. */
function countsOf(counts: { readonly verified: number; readonly stale: number; readonly unsupported: number }): string {
  const told = (["verified", "stale", "unsupported"] as const)
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`);
  return told.length === 0 ? "" : `, evidence ${told.join(", ")}`;
}

/** What was left out of the requests from now on; all of it comes back by its key. */
const trimmedText = ({ elided, dropped }: { readonly elided: number; readonly dropped: number }): string =>
  elided > 0
    ? `smith: ${elided} old outputs are elided from the context`
    : `smith: ${dropped} old messages are left out of the context`;

/** Call ids repeat in the conversations of children. */
const placeOf = (event: AgentEvent & { readonly call_id: string }): string => `${event.job_id ?? ""}/${event.call_id}`;

/** Characters of a summary on its line. */
const SUMMARY = 120;
const shorten = (text: string): string =>
  text.length > SUMMARY ? `${text.slice(0, SUMMARY - 1).toWellFormed()}…` : text;

const WIDTH = 80;

/** What a call is about: its command, path or pattern, else its first argument that is a text. */
function subject(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const { command, path, pattern, query } = args as Record<string, unknown>;
  const named = [command, path, pattern, query, ...Object.values(args)];
  const text = named.find((value) => typeof value === "string") ?? "";
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}

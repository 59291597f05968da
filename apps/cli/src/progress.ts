import type { AgentEvent } from "@smith/contract/event";
import { safeLine } from "@smith/terminal";
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
  return (event) => {
    switch (event.type) {
      case "tool_execution_started":
        args.set(event.call_id, event.args);
        return;
      case "tool_execution_finished":
      case "tool_execution_cancelled": {
        const mark = event.ok ? c.green("•") : c.red("•");
        const what = safeLine(subject(args.get(event.call_id)));
        const summary = safeLine(event.summary);
        args.delete(event.call_id);
        const about = what === "" || summary.startsWith(what) ? "" : ` ${what}`;
        return screen.write(`${mark} ${c.bold(safeLine(event.tool))}${about} ${c.dim(summary)}`);
      }
      case "notice":
        if (event.level !== "info" || screen.level !== "error") screen.write(`smith: ${safeLine(event.text)}`);
        return;
      case "turn_cancel_requested":
        return screen.write(`smith: cancelling (${safeLine(event.reason)}) …`);
      case "llm_request_started":
      case "llm_request_completed":
        if (screen.level === "debug") screen.write(c.dim(`${event.type} round ${event.round} ${event.model}`));
        return;
      case "turn_started":
      case "prompt_built":
      case "llm_text_delta":
      case "llm_reasoning_delta":
      case "llm_tool_call_detected":
      case "llm_request_cancelled":
      case "budget_exhausted": // its notice says it in words
      case "turn_completed":
      case "turn_failed": // the door prints the error of the result
      case "turn_persisted":
      case "turn_persist_failed": // its notice says it in words
        return;
      default:
        return event satisfies never;
    }
  };
}

const WIDTH = 80;

/** What a call is about: its command, path or pattern, else its first argument. */
function subject(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const { command, path, pattern, query } = args as Record<string, unknown>;
  const first = command ?? path ?? pattern ?? query ?? Object.values(args)[0];
  const text = typeof first === "string" ? first : (JSON.stringify(first) ?? "");
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}

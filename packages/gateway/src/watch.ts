import type { AgentEvent } from "@smith/contract/event";
import type { Watcher } from "./platform.ts";
import type { Discreet } from "./reply.ts";

/** Tells a watcher what goes on in a turn. Text goes out by whole lines, so that nothing is hidden in two halves of it. */
export function createWatch(watcher: Watcher, discreet: Discreet): (event: AgentEvent) => void {
  let line = "";
  const flush = (upto: number) => {
    if (upto > 0) watcher.text?.(discreet(line.slice(0, upto)));
    line = line.slice(upto);
  };
  return (event) => {
    if (event.job_id !== undefined && event.source_role !== undefined) return; // a job's own steps
    if (event.type === "llm_text_delta") {
      const end = event.text.lastIndexOf("\n") + 1; // in what is new: all of a long line would be looked through each time
      line += event.text;
      if (end > 0) flush(line.length - event.text.length + end);
    } else if (event.type === "llm_request_completed" || event.type === "turn_completed") {
      flush(line.length);
    }
    const progress = progressOf(event);
    if (progress !== null) watcher.progress?.(progress);
  };
}

const DOING: Readonly<Record<string, string>> = {
  read: "reading a file",
  web_search: "searching the web",
  web_fetch: "reading a web page",
  recall: "looking at what was said",
  search: "looking at what was said",
  note: "looking at the notes",
  dispatch: "an explorer looks into it",
};

function progressOf(event: AgentEvent): string | null {
  switch (event.type) {
    case "llm_request_started":
      return "thinking";
    case "llm_retry_scheduled":
      return "the model did not answer; asking again";
    case "tool_execution_started":
      return DOING[event.tool] ?? "looking at the code";
    case "compact_started":
      return "summing up what was said";
    default:
      return null; // the rest says nothing to somebody in a chat
  }
}

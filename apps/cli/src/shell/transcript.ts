import type { AgentEvent, ToolExecutionEnd } from "@smith/contract/event";
import {
  createMarkdownStream,
  dispatchRows,
  errorRows,
  type MarkdownStream,
  refusedRow,
  type Screen,
  safeText,
  type Theme,
  toolRow,
  warmMarkdown,
} from "@smith/terminal";
import { createEditPreviews, previewRows } from "./edit-preview.ts";
import { createSequence } from "./sequence.ts";

/** What a turn leaves on the screen for good: answers, tool rows, jobs, notices. */
export interface Transcript {
  onEvent(event: AgentEvent): void;
  /** Lines of our own, after all that came before them. */
  say(text: string): void;
  /** The unfinished end of the answer that streams now, as plain text. */
  pending(): string;
  idle(): Promise<void>;
  /** Does the work while nothing is printed; what comes meanwhile is printed after it. */
  pause<T>(work: () => Promise<T>): Promise<T>;
}

export interface TranscriptOptions {
  readonly screen: Screen;
  readonly theme: Theme;
  /** False: marks of ASCII. */
  readonly unicode: boolean;
  readonly showReasoning: boolean;
  /** What the paths of edits are relative to. */
  readonly cwd: string;
  /** Called when something was printed: the live area may have to say less. */
  onPrinted(): void;
}

export function createTranscript(options: TranscriptOptions): Transcript {
  const { screen, theme, unicode } = options;
  const sequence = createSequence();
  const args = new Map<string, unknown>();
  const previews = createEditPreviews(options.cwd);
  const jobs = new Map<string, number[]>();
  let answer: MarkdownStream | null = null;
  let thought = "";
  /** Rows of this turn stand right above. */
  let hasRows = false;
  const columns = () => screen.size().columns;
  const row = (event?: AgentEvent) => {
    const used = event === undefined ? 0 : indent(event).length;
    return { columns: Math.max(1, columns() - used), theme, unicode };
  };
  const print = (text: string) => {
    screen.print(text);
    options.onPrinted();
  };
  const lines = (rows: readonly string[]) => sequence.run(() => print(rows.map((each) => `${each}\n`).join("")));

  const begin = (): MarkdownStream => {
    if (hasRows) lines([""]); // an answer stands apart from the rows before it
    hasRows = false;
    return createMarkdownStream({ columns, theme, write: print });
  };
  const write = (text: string) => {
    answer ??= begin();
    const stream = answer;
    sequence.run(() => stream.write(text));
  };
  const endAnswer = () => {
    const stream = answer;
    answer = null;
    if (stream !== null) sequence.run(() => stream.end());
  };
  /** Reasoning is dimmed, a line at a time. */
  const think = (text: string) => {
    if (!options.showReasoning) return;
    const whole = (thought + text).split("\n");
    thought = whole.pop() ?? "";
    hasRows = true;
    if (whole.length > 0) lines(whole.map((line) => theme.dim(safeText(line))));
  };
  const endThought = () => {
    if (thought.trim() !== "") lines([theme.dim(safeText(thought))]);
    thought = "";
  };

  const onOwn = (event: AgentEvent): void => {
    switch (event.type) {
      case "turn_started":
        hasRows = false;
        return;
      case "llm_request_started":
        warmMarkdown(); // the model takes longer than the libraries
        return;
      case "llm_text_delta":
        endThought();
        write(event.text);
        return;
      case "llm_reasoning_delta":
        think(event.text);
        return;
      case "llm_request_completed":
      case "llm_request_cancelled":
      case "llm_retry_scheduled":
        endThought();
        endAnswer();
        return;
      case "turn_failed":
        endAnswer();
        lines(errorRows(event.error, row()));
        return;
      default:
        return;
    }
  };

  const onToolEnd = (event: AgentEvent & ToolExecutionEnd): void => {
    const told = args.get(placeOf(event));
    args.delete(placeOf(event));
    const change = previews.onEnd(event);
    if (event.ok && isToldElsewhere(event)) return;
    hasRows = true;
    lines([`${indent(event)}${toolRow(event, told, row(event))}`]);
    if (change === null) return;
    sequence.run(async () => print((await previewRows(change, row())).map((each) => `${each}\n`).join("")));
  };
  const onRefused = (event: AgentEvent & { readonly type: "tool_call_refused" }): void => {
    if (event.error.code === "declined") return; // the user's own answer stands there
    hasRows = true;
    lines([`${indent(event)}${refusedRow(event, row(event))}`]);
  };
  const onJobEnd = (event: AgentEvent & { readonly type: "dispatch_finished" }): void => {
    const begun = jobs.get(jobOf(event))?.shift();
    hasRows = true;
    const took = begun === undefined ? {} : { duration_ms: event.ts - begun };
    lines(dispatchRows({ ...event, ...took }, row(event)).map((each) => `${indent(event)}${each}`));
  };

  const onAny = (event: AgentEvent): void => {
    switch (event.type) {
      case "tool_execution_started":
        args.set(placeOf(event), event.args);
        if (event.source_role === undefined) previews.onStart(event); // children's would stand between one another
        return;
      case "tool_execution_finished":
      case "tool_execution_cancelled":
        onToolEnd(event);
        return;
      case "tool_call_refused":
        onRefused(event);
        return;
      case "dispatch_started":
        jobs.set(jobOf(event), [...(jobs.get(jobOf(event)) ?? []), event.ts]);
        return;
      case "dispatch_finished":
        onJobEnd(event);
        return;
      case "notice":
        lines([`${event.level === "error" ? theme.error("!") : theme.warn("!")} ${safeText(event.text)}`]);
        return;
      default:
        return;
    }
  };

  return Object.freeze({
    onEvent(event: AgentEvent) {
      if (event.source_role === undefined) onOwn(event);
      onAny(event);
    },
    say: (text: string) => lines([text]),
    pending: () => answer?.pending() ?? "",
    idle: sequence.idle,
    pause: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        sequence.run(() => work().then(resolve, reject));
      }),
  });
}

/** A dispatch by the row of its job, a child's report by the row of the job that it ends. */
const isToldElsewhere = ({ tool, source_role }: AgentEvent & { readonly tool: string }): boolean =>
  tool === "dispatch" || (tool === "report" && source_role !== undefined);

/** The end of a job bears the same as its beginning; two alike end in whatever order. */
const jobOf = ({ turn_id, job_id, task }: AgentEvent & { readonly job_id: string; readonly task: string }): string =>
  [turn_id, job_id, task].join("\n");

/** Call ids repeat in the conversations of children. */
const placeOf = (event: AgentEvent & { readonly call_id: string }): string => `${event.job_id ?? ""}/${event.call_id}`;

const indent = (event: AgentEvent): string => (event.source_role === undefined ? "" : "  ");

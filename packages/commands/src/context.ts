import type { ContextView } from "@smith/contract/session";
import { type Command, misuse, say } from "./command.ts";

/** Rows of what is out that are listed without `--all`, newest last. */
const LISTED = 20;

/** `/context`. */
export const context: Command = {
  name: "context",
  summary: "show what the model is sent of this session, what is left out, and how it comes back",
  usage: ["[--all] [--json]"],
  example: "context",
  doors: ["slash"],
  flags: [
    { name: "all", description: `list everything that is out, not the newest ${LISTED}` },
    { name: "json", description: "as JSON" },
  ],
  async run({ words, flags }, { session }) {
    if (words.length > 0) return misuse(context);
    const id = session.conversation();
    if (id === null) return { ok: false, say: "The model is sent nothing yet: a session begins with its first line." };
    const view = await session.context(id);
    return say([...usageLines(view), ...outLines(view, flags["all"] === true)].join("\n"), view);
  },
};

/** `/compact`. */
export const compact: Command = {
  name: "compact",
  summary: "have the model summarise the older part of this session now; what it stands for comes back by key",
  usage: ["[what to dwell on]"],
  example: "compact the parser",
  doors: ["slash"],
  async run({ words, typed }, { session }) {
    const focus = (typed ?? words.join(" ")).trim();
    const done = await session.compact(focus === "" ? null : focus);
    const { before, after, summary_chars } = done;
    return say(
      `compacted from about ${tokens(before)} to ${tokens(after)} tokens, with a summary of ${tokens(summary_chars)} characters. /context shows what it stands for.`,
      done,
    );
  },
};

/** How full the window is, a line for each part. */
export function usageLines(view: ContextView): readonly string[] {
  const { total, system, tools, messages } = view.tokens;
  const share = Math.round((total / view.context_window) * 100);
  const model = view.model ?? "a model that is not chosen yet";
  const parts = [
    ["system prompt", system],
    ["tool specs", tools],
    ["messages", messages],
  ] as const;
  const width = Math.max(...parts.map(([, size]) => tokens(size).length));
  return [
    `about ${tokens(total)} of ${tokens(view.context_window)} tokens (${share} %) of ${model}; above ${tokens(view.limit_tokens)} history is left out`,
    ...parts.map(
      ([name, size]) =>
        `  ${name.padEnd(14)} ${tokens(size).padStart(width)}${name === "messages" ? `  (${view.messages.length})` : ""}`,
    ),
  ];
}

function outLines({ out, summary_chars }: ContextView, all: boolean): readonly string[] {
  if (out.length === 0) return ["Nothing is left out."];
  const chars = out.reduce((sum, row) => sum + row.chars, 0);
  const shown = all ? out : out.slice(-LISTED);
  const summary =
    summary_chars === null ? "" : `, a summary of ${tokens(summary_chars)} characters stands for the oldest`;
  return [
    `not sent as they are: ${out.length} messages, ${tokens(chars)} characters${summary}`,
    ...(shown.length < out.length ? [`  … ${out.length - shown.length} older ones: /context --all`] : []),
    ...shown.map(rowLine),
  ];
}

function rowLine({ standing, role, name, turn_id, chars, key }: ContextView["out"][number]): string {
  const what = `${turn_id ?? ""} ${name ?? role}`.trim();
  return `  ${standing.padEnd(10)}  ${what}, ${tokens(chars)} chars  ${key ?? "(not by a key of this role)"}`;
}

/** With a comma between thousands, as people read numbers. */
const tokens = (n: number): string => n.toLocaleString("en-US");

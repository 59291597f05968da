import { safeLine } from "./safe.ts";
import { costText, levelOf, shortCount } from "./status-figures.ts";
import { aliasOf, type Theme } from "./theme.ts";
import { cut, width } from "./width.ts";

export interface PromptFacts {
  /** The active role's name; its alias is shown. */
  readonly role: string;
  readonly mode: string;
  /** Null before one was chosen. */
  readonly model: string | null;
  /** Absolute. */
  readonly path: string;
  /** Shortened to `~` in the path; null: not known. */
  readonly home: string | null;
  /** Tokens of the last request and the model's window; null: nothing used, or the window is not known. */
  readonly context: { readonly tokens: number; readonly window: number | null } | null;
  readonly cost_usd: number | null;
}

export interface PromptLineView {
  readonly columns: number;
  readonly theme: Pick<Theme, "prompt" | "role">;
  /** False: a `>` for the mark. Default true. */
  readonly unicode?: boolean;
}

/**
 * `[Smith:model] full ~/path (1.2k 45% $0.03) ▸ `, with its last blank at most so many columns. What is left out, one by
 * one, until it fits: the cost, all of the path but its end, the tokens, the path, the model, the role, the mode.
 */
export function promptLine(facts: PromptFacts, { columns, theme, unicode = true }: PromptLineView): string {
  const mark = `${theme.prompt.mark(unicode ? "▸" : ">")} `;
  const parts = partsOf(facts, theme);
  const forms = [
    [parts.label, parts.mode, parts.path, parts.costly],
    [parts.label, parts.mode, parts.path, parts.tokens],
    [parts.label, parts.mode, parts.end, parts.tokens],
    [parts.label, parts.mode, parts.end],
    [parts.label, parts.mode],
    [parts.alias, parts.mode],
    [parts.mode],
    [],
  ];
  const lines = forms.map((form) => [...form.filter((part) => part !== ""), mark].join(" ").replaceAll("\t", " "));
  return lines.find((line) => width(line) <= columns) ?? cut(mark, Math.max(0, columns));
}

function partsOf(facts: PromptFacts, { prompt, role }: PromptLineView["theme"]) {
  const alias = facts.role === "" ? aliasOf("direct") : role(facts.role);
  const model = facts.model === null ? "" : `:${prompt.model(safeLine(facts.model))}`;
  const path = safeLine(shortPath(facts.path, facts.home));
  const end = path.split("/").at(-1) ?? "";
  return {
    alias: `[${alias}]`,
    label: `[${alias}${model}]`,
    mode: prompt.mode(safeLine(facts.mode)),
    path: prompt.path(path),
    end: prompt.path(path.split("/").length > 2 && end !== "" ? `…/${end}` : path),
    tokens: usage(facts, prompt, false),
    costly: usage(facts, prompt, true),
  };
}

/** `(1.2k 45% $0.03)` in the colour of the context's use; empty before anything was used. */
function usage({ context, cost_usd }: PromptFacts, prompt: Theme["prompt"], costly: boolean): string {
  const cost = costly && cost_usd !== null && cost_usd > 0 ? prompt.cost(costText(cost_usd)) : "";
  const tokens = context !== null && context.tokens > 0 ? tokensText(context, prompt) : "";
  const texts = [tokens, cost].filter((text) => text !== "");
  return texts.length === 0 ? "" : `(${texts.join(" ")})`;
}

function tokensText(context: NonNullable<PromptFacts["context"]>, prompt: Theme["prompt"]): string {
  const { tokens, window } = context;
  if (window === null || !(window > 0)) return prompt.calm(shortCount(tokens));
  const percent = (100 * tokens) / window;
  return prompt[levelOf(percent)](`${shortCount(tokens)} ${Math.floor(percent)}%`);
}

function shortPath(path: string, home: string | null): string {
  if (home === null || home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

import type { Confirm, ConfirmRequest, Verdict } from "@smith/contract/confirm";
import {
  argsPreview,
  createEditor,
  type EditorState,
  edit,
  type Key,
  type Rendered,
  safeLine,
  type Theme,
} from "@smith/terminal";
import type { EditedArgs } from "./edit-args.ts";
import { detailOf, drawQuestion } from "./question-rows.ts";

export interface QuestionPorts {
  readonly theme: Theme;
  readonly unicode: boolean;
  /** What stands, or how it is answered, changed. */
  changed(): void;
  /** Ctrl-C and Esc: both cancel the turn, and with it the question. */
  interrupt(): void;
  escape(): void;
  /** Opens JSON text in the user's editor. */
  edit(text: string, signal: AbortSignal): Promise<EditedArgs>;
  /** A line that stays. */
  tell(text: string): void;
}

/** The question of mode `ask`, while it stands in place of what is typed. */
export interface Question {
  readonly ask: Confirm;
  /** Whether the key was for the question; else it is for what is typed. */
  onKey(key: Key): boolean;
  /** Whose call is asked about: a job's id, null for the turn's own; undefined: nothing is asked. */
  asker(): string | null | undefined;
  /** Null: nothing is asked. */
  render(size: { readonly columns: number; readonly room: number }): Rendered | null;
}

interface Standing {
  readonly request: ConfirmRequest;
  readonly detail: readonly string[];
  readonly signal: AbortSignal;
  answer(verdict: Verdict): void;
  /** The reason that is being typed; null: a key is waited for. */
  reason: EditorState | null;
  /** Why what was edited can't be taken. */
  fault: string | null;
  /** What was edited and can't be taken is not allowed by a yes, only edited again. */
  mayRun: boolean;
  /** The user's editor is open, or about to be: no key is an answer. */
  editing: boolean;
  /** What the editor opens: the arguments, or what was left of an edit that was no JSON. */
  text: string;
}

/** Ms without a key, from the question's first sight on, before a key is an answer: who types ahead approves nothing. */
const QUIET_MS = 300;

export function createQuestion(ports: QuestionPorts): Question {
  let standing: Standing | null = null;
  let lastKeyAt = 0;

  const put = (request: ConfirmRequest, detail: readonly string[], signal: AbortSignal): Promise<Verdict> =>
    new Promise((resolve) => {
      const answer = (verdict: Verdict) => {
        signal.removeEventListener("abort", withdraw);
        standing = null;
        resolve(verdict);
        ports.changed();
      };
      const withdraw = () => answer({ verdict: "no" }); // nobody reads it any more
      signal.addEventListener("abort", withdraw, { once: true });
      const { fault } = request;
      const text = `${JSON.stringify(request.args, null, 2)}\n`;
      standing = { request, detail, signal, answer, reason: null, fault, mayRun: fault === null, editing: false, text };
      lastKeyAt = performance.now();
      ports.changed();
    });

  const decide = (at: Standing, verdict: Verdict) => {
    const told = recordOf(at.request, verdict);
    if (told !== "") ports.tell(told);
    at.answer(verdict);
  };
  const change = async (at: Standing) => {
    at.editing = true;
    const edited = await ports.edit(at.text, at.signal);
    at.editing = false;
    if (standing !== at) return; // withdrawn meanwhile
    lastKeyAt = performance.now();
    if (edited !== null && "args" in edited) return decide(at, { verdict: "yes", args: edited.args });
    if (edited !== null) {
      at.mayRun &&= edited.text === at.text; // an editor that could not be run changed nothing
      at.fault = edited.fault;
      at.text = edited.text;
    }
    ports.changed();
  };
  /** False: the key belongs to what is being typed, and so do those that follow at once. */
  const onAnswer = (at: Standing, key: Key): boolean => {
    const now = performance.now();
    const isQuiet = now - lastKeyAt >= QUIET_MS;
    const wish = isQuiet ? wishOf(key) : null;
    if (wish === null) {
      lastKeyAt = now;
      return isQuiet && key.type === "key"; // as an arrow: neither an answer nor text
    }
    // Letters that came in one piece with the m are the message.
    if (wish === "message") at.reason = edit(createEditor(), { type: "text", text: textOf(key).slice(1) });
    else if (wish === "edit") void change(at);
    else if (wish === "no" || at.mayRun) decide(at, { verdict: wish });
    return true;
  };
  const onReason = (at: Standing, reason: EditorState, key: Key) => {
    const next = edit(reason, key);
    const { effect } = next;
    if (effect?.type === "submit") decide(at, refusalBy(effect.text));
    else at.reason = effect?.type === "escape" || effect?.type === "eof" ? null : next;
  };

  return Object.freeze({
    async ask(request, signal) {
      const detail = await detailOf(request, ports.theme);
      return signal.aborted ? { verdict: "no" } : put(request, detail, signal);
    },
    onKey(key: Key) {
      const at = standing;
      if (at === null) return false;
      const name = key.type === "key" ? key.name : "";
      if (name === "ctrl-c") ports.interrupt();
      else if (at.editing) return true;
      else if (at.reason !== null) onReason(at, at.reason, key);
      else if (name === "escape") ports.escape();
      else if (!onAnswer(at, key)) return false;
      ports.changed();
      return true;
    },
    asker: () => standing?.request.job_id,
    render: (size) => (standing === null ? null : drawQuestion(standing, size, ports)),
  } satisfies Question);
}

type Wish = Verdict["verdict"] | "message" | "edit";

const WISHES: Readonly<Record<string, Wish>> = Object.freeze({
  ...{ y: "yes", enter: "yes", a: "always", n: "no", m: "message", e: "edit" },
});

/** Null: the key is no answer. Letters that come in one piece are none either: somebody types. Only m may have more. */
function wishOf(key: Key): Wish | null {
  const name = key.type === "key" ? key.name : textOf(key).toLowerCase();
  if (key.type === "text" && /^m./su.test(name)) return "message";
  return Object.hasOwn(WISHES, name) ? (WISHES[name] ?? null) : null;
}

const textOf = (key: Key): string => (key.type === "text" ? key.text : "");

const refusalBy = (text: string): Verdict =>
  text.trim() === "" ? { verdict: "no" } : { verdict: "no", message: text.trim() };

/** What is kept in sight of an answer; a plain yes is told by the call's own row. */
function recordOf({ tool, args }: ConfirmRequest, verdict: Verdict): string {
  const call = `${safeLine(tool)} ${argsPreview(args)}`.trim();
  if (verdict.verdict === "always") return `${safeLine(tool)} is not asked about any more in this session`;
  if (verdict.verdict === "no") return `no: ${call}${verdict.message === undefined ? "" : ` (${verdict.message})`}`;
  return verdict.args === undefined ? "" : `edited: ${safeLine(tool)} ${argsPreview(verdict.args)}`;
}

import { maskSecrets } from "@smith/contract/secret";
import type { TurnResult } from "@smith/contract/turn";

/** What is said for an answer without a word. */
export const EMPTY_REPLY = "I have no answer to that.";
/** What is said to a picture, a voice, a file. */
export const NO_MEDIA = "media not supported yet";
/** What is said when another process does not let go of the conversation. */
export const BUSY_REPLY = "This conversation is in use elsewhere. Say it again later, or begin a new one with /new.";
export const CANCELLED_REPLY = "Cancelled.";
const ERROR_CHARS = 300;

/** Takes out of a text what a chat must not learn of this machine. */
export type Discreet = (text: string) => string;

export interface Secrets {
  /** The project's root and the folder the gateway runs in, the home folder: absolute. */
  readonly roots: readonly string[];
  readonly home: string;
  /** Keys and tokens, to the letter. */
  readonly values: readonly string[];
}

/** Keys become `[key]`, the project's folders go from its paths, and the home folder is `~`. */
export function createDiscreet({ roots, home, values }: Secrets): Discreet {
  const keys = [...new Set(values)];
  const folders = [...new Set(roots)].filter(({ length }) => length > 1).sort((a, b) => b.length - a.length);
  return (text) => {
    let said = maskSecrets(text, keys, "[key]");
    for (const root of folders) said = said.replaceAll(`${root}/`, "").replaceAll(wholly(root), ".");
    return home.length > 1 ? said.replaceAll(wholly(home), "~") : said;
  };
}

/** A path where it does not go on as another name. */
const wholly = (path: string): RegExp => new RegExp(`${path.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`, "g");

/** The one sentence that a chat is told of a turn that failed: one line, no address, no path, no key. */
export function errorReply(message: string, discreet: Discreet): string {
  const plain = discreet(message)
    .replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S*[^\s.,;:!?)'"]/gi, "[address]")
    .replaceAll(/(?:\[?::1\]?|\b\d{1,3}(?:\.\d{1,3}){3}\b|\blocalhost)(?::\d+)?/gi, "[address]")
    .replaceAll(/(?<![\w.~])(?:~|\.{1,2})?\/[^\s"'`,;:)]+/g, "[path]")
    .replaceAll(/\bBearer\s+\S+/gi, "[key]")
    .replaceAll(/\b[\w-]+(?:\.[\w-]+)*:\d{2,5}\b|(?<=\bE\w+ )[\w-]+(?:\.[\w-]+)+/g, "[address]")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const line = `agent error: ${plain === "" ? "something went wrong" : plain}`;
  return line.length <= ERROR_CHARS ? line : `${line.slice(0, ERROR_CHARS - 1).toWellFormed()}…`;
}

/** What a chat is told of a turn. */
export function replyOf(result: TurnResult, discreet: Discreet): string {
  if (result.stop_reason === "error") return errorReply(result.error?.message ?? "", discreet);
  const text = discreet(result.text).trim();
  if (result.stop_reason === "cancelled") return CANCELLED_REPLY;
  if (result.stop_reason === "budget_exhausted")
    return `${text}\n\n(I stopped here, after many steps. Say "go on".)`.trim();
  return text === "" ? EMPTY_REPLY : text;
}

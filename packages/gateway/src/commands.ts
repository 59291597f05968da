/** What a chat may say to the gateway itself. Anything else that looks like a command is answered here, too. */
export type ChatCommand = "new" | "cancel" | "status" | "start" | "help" | "unknown";

/** The command of a message; null: it is for the model. `/new@a_bot` is how groups call one. */
export function commandOf(text: string): ChatCommand | null {
  const name = /^\/([A-Za-z][A-Za-z0-9_-]*)(?:@\w+)?(?=\s|$)/.exec(text.trimStart())?.[1];
  if (name === undefined) return null;
  return KNOWN.find((each) => each === name.toLowerCase()) ?? "unknown";
}

const KNOWN = ["start", "new", "cancel", "status", "help"] as const;

export const GREETING = "hello";
export const FRESH_REPLY = "A new conversation begins.";
export const HELP_REPLY =
  "Ask anything about the project. /new begins a new conversation, /cancel stops what is going on, /status tells what that is.";
export const UNKNOWN_REPLY = `There is no such command. ${HELP_REPLY}`;

export interface Status {
  /** Ms that the running turn has taken; null when none runs. */
  readonly running_ms: number | null;
  readonly waiting: number;
  /** Turns of the conversation so far; null when nothing was said in this process. */
  readonly turns: number | null;
}

export function statusReply({ running_ms, waiting, turns }: Status): string {
  const now = running_ms === null ? "idle" : `at work for ${Math.round(running_ms / 1000)} s`;
  const more = waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "message waits" : "messages wait"}`];
  const past = turns === null ? [] : [`${turns} ${turns === 1 ? "turn" : "turns"} in this conversation`];
  return [now, ...more, ...past].join("; ");
}

export const cancelReply = (isRunning: boolean, dropped: number): string => {
  if (!isRunning && dropped === 0) return "Nothing is going on.";
  return dropped === 0 ? "Cancelled." : `Cancelled, with ${dropped} waiting ${dropped === 1 ? "message" : "messages"}.`;
};

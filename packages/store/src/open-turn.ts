import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { Intent, OpenTurn, TurnClosing } from "@smith/contract/store";
import type { Access } from "./access.ts";
import { encode } from "./codec.ts";
import { intentKey, messageKey, partialKey, turnKey } from "./keys.ts";
import type { Entry, Kv } from "./kv.ts";
import { interrupt, nextSeq } from "./recover.ts";
import { countMessages } from "./repos/conversations.ts";
import { receiptRows } from "./repos/receipts.ts";
import { type Begun, checkClosing, writeClose } from "./turn-rows.ts";

export interface HeldTurn {
  readonly port: OpenTurn;
  /** Writes the close that the disk refused earlier; does nothing when there is none. */
  settle(): void;
  /** Settles; a turn that was never closed ends as interrupted. Never throws. */
  release(): void;
}

interface Kept {
  readonly message: TranscriptMessage;
  readonly text: string;
  /** Written with it. */
  receipts: readonly Entry[];
}

interface Held {
  readonly kv: Kv;
  readonly begun: Begun;
  /** Called once, when nothing more can be written to the turn. */
  onSettled(): void;
  /** Messages that are not on disk yet. More than one only after a failure: the next write takes them along. */
  backlog: Kept[];
  intents: number;
  /** Set once the caller has closed the turn, be it on disk or not. */
  closing: TurnClosing | null;
  isSettled: boolean;
}

/** The handle of a turn that was begun. `onSettled` is called once, when it is over. */
export function holdTurn({ kv, run }: Access, begun: Begun, onSettled: () => void): HeldTurn {
  const held: Held = { kv, begun, onSettled, backlog: [], intents: 0, closing: null, isSettled: false };
  const whileOpen = (work: () => void) =>
    run(() => {
      if (held.closing !== null) throw turnError(begun, "turn_closed", "is closed already");
      work();
    });
  const port = Object.freeze<OpenTurn>({
    turn_id: begun.row.turn_id,
    append: (message, receipts = []) => whileOpen(() => append(held, message, receipts)),
    intend: (intent) => whileOpen(() => intend(held, intent)),
    partial: (text) => whileOpen(() => overwritePartial(held, text)),
    close: (closing) => run(() => close(held, closing)),
  });
  return Object.freeze<HeldTurn>({ port, settle: () => settleAgain(held), release: () => release(held) });
}

function append(held: Held, message: TranscriptMessage, receipts: readonly Receipt[]): void {
  const { conversation_id, row } = held.begun;
  const kept: Kept = { message, text: encode("message", message), receipts: [] };
  // A caller that tries again after a failure must not have its message twice.
  if (!held.backlog.some((each) => each.message === message)) held.backlog.push(kept);
  try {
    kept.receipts = receiptRows(conversation_id, row.turn_id, receipts);
  } finally {
    write(held, () => {}); // a receipt that fits no record must not cost the message
  }
}

function intend(held: Held, intent: Intent): void {
  const { conversation_id, n } = held.begun;
  const text = encode("intent", { ...intent });
  write(held, () => held.kv.add("turn", intentKey(conversation_id, n, held.intents + 1), text));
  held.intents++;
}

function overwritePartial(held: Held, partial: string): void {
  const { conversation_id, n } = held.begun;
  const text = encode("partial", { text: partial });
  write(held, () => held.kv.put("turn", partialKey(conversation_id, n), text));
}

/** May be called again when the disk refused it. */
function close(held: Held, closing: TurnClosing): void {
  if (held.isSettled) throw turnError(held.begun, "turn_closed", "is closed already");
  checkClosing(held.begun, closing); // one that fits no record must not block the turns after it
  held.closing = closing;
  settle(held, closing);
}

function write(held: Held, work: () => void): void {
  held.kv.write(() => {
    flush(held);
    work();
  });
  held.backlog = [];
}

function settle(held: Held, closing: TurnClosing): void {
  try {
    held.kv.writeDurably(() => {
      flush(held);
      writeClose(held.kv, held.begun, closing);
    });
  } catch (error) {
    if (isLost(error)) end(held); // trying again would not bring it back
    throw error;
  }
  end(held);
}

function end(held: Held): void {
  held.backlog = [];
  held.isSettled = true;
  held.onSettled();
}

function settleAgain(held: Held): void {
  try {
    if (held.closing !== null && !held.isSettled) settle(held, held.closing);
  } catch (error) {
    if (!isLost(error)) throw error; // lost: another process has ended it, and the next turn can begin
  }
}

function release(held: Held): void {
  try {
    if (held.closing === null) held.kv.write(() => abandon(held));
    else if (!held.isSettled) settle(held, held.closing);
  } catch {
    // The row stays open: the next process finds its writer gone and completes it.
  }
}

/** Inside a transaction. */
function abandon(held: Held): void {
  const { kv, begun } = held;
  flush(held);
  const count = interrupt(kv, begun.conversation_id, begun);
  countMessages(kv, begun.conversation_id, { count, ts: begun.row.opened_at });
}

/** Writes the backlog, if the turn is still ours. Inside a transaction. */
function flush({ kv, begun, backlog }: Held): void {
  const { conversation_id, n } = begun;
  if (kv.get("turn", turnKey(conversation_id, n)) !== begun.rowText) {
    throw turnError(begun, "turn_lost", "was ended or removed by another process");
  }
  if (backlog.length === 0) return;
  let ts = 0;
  for (const { message, text, receipts } of backlog) {
    kv.add("message", messageKey(conversation_id, nextSeq(kv, conversation_id)), text);
    for (const { key, value } of receipts) kv.put("receipt", key, value);
    ts = Math.max(ts, message.ts);
  }
  kv.remove("turn", partialKey(conversation_id, n));
  countMessages(kv, conversation_id, { count: backlog.length, ts });
}

const isLost = (error: unknown): boolean => error instanceof AgentError && error.code === "turn_lost";

const turnError = ({ conversation_id, row }: Begun, code: string, what: string): AgentError =>
  new AgentError({
    kind: "persistence",
    code,
    origin: "store/open-turn",
    data: { conversation_id, turn_id: row.turn_id },
    message: `Turn ${row.turn_id} of session ${conversation_id} ${what}; nothing more is written to it.`,
  });

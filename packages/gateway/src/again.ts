import { createHash } from "node:crypto";
import type { Entry, Ledger, Place } from "./ledger.ts";
import type { Answer, Inbound } from "./platform.ts";
import { type Discreet, EMPTY_REPLY } from "./reply.ts";

export interface AgainPorts {
  readonly ledger: Ledger;
  readonly discreet: Discreet;
  /** What a stored turn was asked and answered; null when it is not there, or has no answer. */
  turnAt(place: Place): Promise<{ readonly line: string; readonly text: string } | null>;
}

/** The first answer of a message that came twice, also where the process died between the turn and the note of it. */
export async function answeredBefore(message: Inbound, known: Entry, ports: AgainPorts): Promise<Answer | null> {
  const { message_id } = message;
  if (message_id === null) return null;
  const done = known.answered.find(({ id }) => id === message_id);
  if (done?.reply != null) return { reply: done.reply, usage: null, again: true };
  const waiting = known.waiting.find(({ id }) => id === message_id);
  const place = done?.place ?? waiting?.place ?? null;
  const turn = place === null ? null : await ports.turnAt(place);
  if (turn === null) return null;
  if (done === undefined && digestOf(turn.line) !== waiting?.digest) return null;
  const text = ports.discreet(turn.text).trim();
  known.waiting = known.waiting.filter(({ id }) => id !== message_id);
  if (done === undefined) known.answered.push({ id: message_id, place, reply: null });
  await ports.ledger.write(message.chat_id, known).catch(() => {}); // it is found in the transcript again
  return { reply: text === "" ? EMPTY_REPLY : text, usage: null, ...(done === undefined ? {} : { again: true }) };
}

/** Of a text: enough to know it again. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

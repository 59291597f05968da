import type { Completion, InterruptedTurn } from "@smith/contract/store";
import type { Access } from "./access.ts";
import { decode } from "./codec.ts";
import { intentScope, turnKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { conversationBusy, isAlive } from "./lease.ts";
import { interrupt, isOpen, lastTurn, type OpenedTurn, remainsOf } from "./recover.ts";
import { countMessages } from "./repos/conversations.ts";
import { receiptsIn } from "./repos/receipts.ts";

/** How the open calls of an interrupted turn ended. */
export type Resolve = (turn: InterruptedTurn) => Promise<Completion>;

interface Found {
  readonly turn: OpenedTurn;
  /** The row as it was found: while it reads so, nobody else has recovered the turn. */
  readonly rowText: string | null;
  readonly shown: InterruptedTurn;
}

/** Completes the conversation's last turn when its process is gone; see the port. */
export async function recoverTurn(access: Access, id: string, resolve: Resolve): Promise<InterruptedTurn | null> {
  const { kv } = access;
  const found = await access.run(() => kv.read(() => find(kv, id)));
  if (found === null) return null;
  const completion = await resolve(found.shown); // not in a transaction: it reads files and other conversations
  const isOurs = await access.run(() => kv.write(() => complete(kv, id, { ...found, completion })));
  return isOurs ? found.shown : null;
}

function find(kv: Kv, id: string): Found | null {
  const turn = lastTurn(kv, id);
  if (!isOpen(turn)) return null;
  if (isAlive(turn.row.lease)) throw conversationBusy(id, turn.row.turn_id, turn.row.lease);
  const { written, open, place } = remainsOf(kv, id, turn);
  const intents = kv.scan("turn", intentScope(id, turn.n)).map(({ value }) => decode("intent", value));
  const shown = {
    ...{ conversation_id: id, turn_id: turn.row.turn_id, role: turn.row.role, rounds: place.round },
    ...{ messages: written, open_calls: open, intents: intents.filter((intent) => intent !== null) },
    receipts: receiptsIn(kv, id, turn.row.turn_id),
  };
  return { turn, rowText: kv.get("turn", turnKey(id, turn.n)), shown };
}

/** Inside a transaction. False when another process was faster. */
function complete(kv: Kv, id: string, { turn, rowText, completion }: Found & { completion: Completion }): boolean {
  if (kv.get("turn", turnKey(id, turn.n)) !== rowText) return false;
  const count = interrupt(kv, id, { ...turn, ...completion });
  countMessages(kv, id, { count, ts: turn.row.opened_at });
  return true;
}

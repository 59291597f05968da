import type { Store, TurnOpening } from "@smith/contract/store";
import type { Access } from "./access.ts";
import { decode, encode } from "./codec.ts";
import { activeKey, messageKey, OPEN_TURN, openTurnKey, structuralId, turnKey } from "./keys.ts";
import type { Kv } from "./kv.ts";
import { conversationBusy, isAlive } from "./lease.ts";
import { type HeldTurn, holdTurn } from "./open-turn.ts";
import { interrupt, isOpen, lastTurn, nextSeq } from "./recover.ts";
import { recoverTurn } from "./recovery.ts";
import { beginTurn, countMessages } from "./repos/conversations.ts";
import type { Begun } from "./turn-rows.ts";

export interface Turns {
  readonly port: Store["turn"];
  /** Ends what this store still holds open, as far as the disk takes it. Never throws. */
  release(): void;
}

export function turns(access: Access): Turns {
  /** By conversation: the turns of this store that are not closed on disk. */
  const held = new Map<string, HeldTurn>();
  const open = (opening: TurnOpening) => {
    const id = opening.conversation_id;
    held.get(id)?.settle(); // what a full disk refused at the end of the turn before
    const begun = access.kv.write(() => begin(access, opening));
    const turn: HeldTurn = holdTurn(access, begun, () => {
      if (held.get(id) === turn) held.delete(id);
    });
    held.set(id, turn);
    return turn.port;
  };
  return Object.freeze<Turns>({
    port: Object.freeze<Store["turn"]>({
      open: (opening) => access.run(() => open(opening)),
      recover: async (id, resolve) => {
        await access.run(() => held.get(id)?.settle());
        return recoverTurn(access, id, resolve);
      },
      abandoned: (project_id) => access.run(() => access.kv.read(() => abandonedIn(access.kv, project_id))),
    }),
    release: () => {
      for (const turn of [...held.values()]) turn.release();
    },
  });
}

/** Inside a transaction. */
function begin({ kv, lease }: Access, opening: TurnOpening): Begun {
  const { conversation_id, role, ts } = opening;
  structuralId("project id", opening.project_id);
  if (opening.parent !== null) structuralId("parent id", opening.parent);
  const n = freeTurn(kv, conversation_id);
  const [turn_id, first_seq] = [`t${n}`, nextSeq(kv, conversation_id)];
  const row = { state: "open", turn_id, role, first_seq, opened_at: ts, lease } as const;
  const rowText = encode("turn", row);
  const user = encode("message", { ...opening.user, turn_id });
  beginTurn(kv, opening, n);
  kv.add("turn", turnKey(conversation_id, n), rowText);
  kv.add("message", messageKey(conversation_id, first_seq), user);
  countMessages(kv, conversation_id, { count: 1, ts });
  if (opening.parent === null) activate(kv, opening);
  return { conversation_id, n, row, rowText };
}

/** The number for the next turn, once the one before is over. */
function freeTurn(kv: Kv, conversationId: string): number {
  const last = lastTurn(kv, conversationId);
  if (isOpen(last)) {
    if (isAlive(last.row.lease)) throw conversationBusy(conversationId, last.row.turn_id, last.row.lease);
    const count = interrupt(kv, conversationId, last);
    countMessages(kv, conversationId, { count, ts: last.row.opened_at });
  }
  return (last?.n ?? 0) + 1;
}

function abandonedIn(kv: Kv, projectId: string): readonly string[] {
  const ids = kv
    .scan("meta", OPEN_TURN)
    .filter(({ value }) => decode("project_id", value) === projectId)
    .map(({ key }) => key.slice(OPEN_TURN.length));
  return ids.filter((id) => {
    const last = lastTurn(kv, id);
    return isOpen(last) && !isAlive(last.row.lease);
  });
}

/** A child's conversation is never the one to come back to. */
function activate(kv: Kv, { conversation_id, project_id }: TurnOpening): void {
  const id = encode("conversation_id", conversation_id);
  kv.put("meta", activeKey(null), id);
  kv.put("meta", activeKey(project_id), id);
  kv.put("meta", openTurnKey(conversation_id), encode("project_id", project_id));
}

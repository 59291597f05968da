import type { InterruptedTurn } from "@smith/contract/store";
import { endDispatch } from "./recovery-dispatch.ts";
import { completionOf, probe, type RecoveryPorts, type ResolvedCall } from "./recovery-probe.ts";
import { cutReceipt } from "./recovery-receipt.ts";

/** An interrupted turn that was completed, and how each of its open calls stands. */
export interface Recovered {
  readonly turn: InterruptedTurn;
  readonly calls: readonly ResolvedCall[];
}

/**
 * Completes the last turn of a conversation when its process is gone; null when there is nothing to complete. Nothing is
 * run again.
 * @throws {AgentError} `persistence`/`conversation_busy` while that process lives.
 */
export async function recover(conversation_id: string, ports: RecoveryPorts): Promise<Recovered | null> {
  let calls: readonly ResolvedCall[] = [];
  const turn = await ports.store.turn.recover(conversation_id, async (left) => {
    calls = await resolveCalls(left, ports);
    return completionOf(calls);
  });
  return turn === null ? null : { turn, calls };
}

/** One after the other: two jobs of a turn may have touched the same file. */
async function resolveCalls(left: InterruptedTurn, ports: RecoveryPorts): Promise<readonly ResolvedCall[]> {
  const resolved: ResolvedCall[] = [];
  let n = lastNumber(left);
  for (const call of left.open_calls) {
    const dispatched =
      call.name === "dispatch"
        ? await endDispatch(call, left, { ...ports, resolve: (child) => resolveCalls(child, ports) })
        : null;
    // An id may be used again in a later round: the last intent is the open call's, if it has one.
    const intent = left.intents.findLast((each) => each.call_id === call.id && each.tool === call.name);
    if (dispatched !== null) {
      resolved.push(dispatched);
      continue;
    }
    const { files, ...end } = await probe(intent, ports);
    const cut = intent === undefined ? null : { call, intent, state: end.state, files, n: ++n };
    const receipt = cut === null ? {} : { receipt: await cutReceipt(cut, left, ports) };
    resolved.push({ tool: call.name, ok: false, ...end, ...receipt });
  }
  return resolved;
}

const lastNumber = ({ receipts }: InterruptedTurn): number => Number(receipts.at(-1)?.receipt_id.slice(1) ?? 0);

/** The one line that tells the user. */
export function recoveredText({ turn, calls }: Recovered, isElsewhere: boolean): string {
  const where = isElsewhere ? ` of session ${turn.conversation_id}` : "";
  const rounds = `${turn.rounds} ${turn.rounds === 1 ? "round" : "rounds"}`;
  const open = calls.map(({ tool, state }) => `${tool} (${state})`).join(", ");
  const ends = calls.length === 0 ? "no call was open" : `cut off: ${open}`;
  return `recovered ${turn.turn_id}${where}, which its process did not finish: ${rounds} kept, ${ends}. Nothing is run again by itself.`;
}

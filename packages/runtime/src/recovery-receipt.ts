import type { ToolCall } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { Intent, InterruptedTurn } from "@smith/contract/store";
import type { FileTouch, MutationState } from "@smith/contract/tool";
import { canonical } from "@smith/engine";
import { hash16 } from "./hash.ts";
import { jobIn } from "./job-places.ts";
import type { RecoveryPorts } from "./recovery-probe.ts";

/** A call that was cut off, and what the disk says of it. */
export interface CutCall {
  readonly call: ToolCall;
  readonly intent: Intent;
  readonly state: MutationState;
  readonly files: readonly FileTouch[];
  /** Its number among the turn's receipts. */
  readonly n: number;
}

/** The receipt of a call whose process ended before it did. When it ended is not known: the last sign of life counts. */
export async function cutReceipt(cut: CutCall, left: InterruptedTurn, ports: RecoveryPorts): Promise<Receipt> {
  const { call, intent, state, n } = cut;
  const lastSign = Math.max(intent.ts, left.messages.at(-1)?.ts ?? 0);
  const { tool, args_hash } = intent;
  return {
    ...{ receipt_id: `r${n}`, job_id: jobIn(left.conversation_id), call_id: call.id, tool, args_hash },
    ...{ started_at: intent.ts === 0 ? lastSign : intent.ts, ended_at: lastSign },
    ...{ ok: false, cancelled: false, exit_code: null, output_hash: hash16(""), output_bytes: 0, output_key: null },
    files: await Promise.all(cut.files.map((file) => asPlanned(file, cut, ports))),
    ...{ changed_during: null, changed_unknown: intent.files_before === null ? KILLED : null },
    mutation_state: state,
  };
}

const KILLED = "its process was killed while it ran";

/**
 * Between the kill and now somebody else may have changed the file too: where it can be told what the call made of it, the
 * receipt says that, so that an undo refuses a file that is another.
 */
async function asPlanned(file: FileTouch, { call, intent }: CutCall, { store }: RecoveryPorts): Promise<FileTouch> {
  const args = argsOf(call);
  if (hash16(canonical(args)) !== intent.args_hash) return file; // the user had edited them
  const before = file.hash_before === null ? null : await store.blob.get(file.hash_before).catch(() => null);
  const { plannedHash } = await import("@smith/tools");
  return { ...file, hash_after: plannedHash(call.name, args, before) ?? file.hash_after };
}

function argsOf(call: ToolCall): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return null; // they were mended before they ran
  }
}

import { readFileSync } from "node:fs";
import { AgentError } from "@smith/contract/error";
import type { Lease } from "./codec.ts";
import { errnoOf } from "./errors.ts";

/**
 * What names the process `pid` beyond doubt: numbers are given again after a restart and, in the long run, before one.
 * Where there is no /proc only the number is known.
 */
export const leaseOf = (pid: number): Lease => ({
  pid,
  boot_id: readProc("/proc/sys/kernel/random/boot_id"),
  process_start: statOf(pid)?.start ?? null,
});

/** Whether the process that took the lease is still running. In doubt it is. */
export function isAlive(lease: Lease): boolean {
  const now = leaseOf(lease.pid);
  if (differ(now.boot_id, lease.boot_id) || differ(now.process_start, lease.process_start)) return false;
  return statOf(lease.pid)?.state !== "Z" && processExists(lease.pid);
}

const differ = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b;

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM"; // there, but another user's
  }
}

/** State letter and start time (clock ticks since boot) of a process. */
function statOf(pid: number): { state: string; start: string } | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the program's name in parentheses and may hold blanks and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? null : { state, start };
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null; // no such process, or a system without /proc
  }
}

/** The refusal of a second writer in a conversation. */
export function conversationBusy(conversationId: string, turnId: string, holder: Lease): AgentError {
  const who = holder.pid === process.pid ? "this process" : `process ${holder.pid}`;
  return new AgentError({
    kind: "persistence",
    code: "conversation_busy",
    origin: "store/turns",
    data: { conversation_id: conversationId, turn_id: turnId, pid: holder.pid },
    message: `The session ${conversationId} has a turn running in ${who}. Wait until it ends, or go on in a copy with --fork.`,
  });
}

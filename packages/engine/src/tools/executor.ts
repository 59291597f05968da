import type { ToolCall } from "@smith/contract/message";
import type { ToolResult } from "@smith/contract/tool";
import { announce } from "./steps/announce.ts";
import { clamp } from "./steps/clamp.ts";
import { confirm } from "./steps/confirm.ts";
import { deadline } from "./steps/deadline.ts";
import { decode } from "./steps/decode.ts";
import { gate } from "./steps/gate.ts";
import { intend } from "./steps/intend.ts";
import { normalise } from "./steps/normalise.ts";
import { observe } from "./steps/observe.ts";
import { receipt } from "./steps/receipt.ts";
import { run } from "./steps/run.ts";
import { slot } from "./steps/slot.ts";
import { tellRefused } from "./steps/tell-refused.ts";
import { veto } from "./steps/veto.ts";
import type { ExecutorPorts, Next, Step, Work } from "./work.ts";

/** The order is the law (`docs/ARCHITECTURE.md`): a refused call writes no intent, an intent precedes each effect. */
const CHAIN: readonly Step[] = [
  tellRefused,
  decode,
  gate,
  veto,
  confirm,
  observe,
  slot,
  announce,
  receipt,
  intend,
  deadline,
  clamp,
  run,
];

/** Runs one call through the chain to exactly one result. Never throws. */
export function createExecutor(ports: ExecutorPorts): (call: ToolCall) => Promise<ToolResult> {
  const enter = CHAIN.reduceRight<Next>(
    (next, step) => (work) => step(work, next, ports),
    () => Promise.reject(new Error("the chain has no end")),
  );
  return (call) => {
    const work: Work = { call, args: null, tool: null, signal: ports.signal, files_before: null, doubt: null };
    return normalise(work, enter, ports);
  };
}

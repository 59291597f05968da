import type { AnyTool } from "@smith/contract/tool";
import type { Changes } from "../receipts.ts";
import type { Done, Step, Work } from "../work.ts";
import { canonical } from "./intend.ts";
import { errorOf } from "./normalise.ts";

/**
 * Each call that reached its handler has a receipt, and its whole output is kept. What a command changed is looked for
 * soon after it has ended, and waited for only before another job's next call with side effects, and at the end.
 */
export const receipt: Step = async (work, next, ports) => {
  const { receipts } = ports;
  const tool = work.tool;
  if (tool?.side_effects === "some") await beforeEffects(receipts.watch.settled(receipts), work.signal);
  const span = tool !== null && isCommand(tool) ? receipts.watch.begin(ports.scope.project_root, receipts) : null;
  const started_at = ports.now();
  const done = await next(work);
  const changes = span?.end() ?? null;
  if (!done.ran) return done;
  receipts.watch.wrote(done.outcome.files ?? []);
  const receipt_id = await receipts.add(
    factsOf(work, done, { started_at, ended_at: ports.now(), changes, hash: ports.hashText }),
  );
  return { ...done, receipt_id };
};

/** A tool that starts processes and can't name the files it is about to change. */
const isCommand = (tool: AnyTool): boolean =>
  tool.side_effects === "some" && tool.uses_process === true && tool.targets === undefined;

/** A cancel ends the wait. */
async function beforeEffects(settled: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort = () => {};
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
  });
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([settled, aborted]);
  signal.removeEventListener("abort", onAbort);
}

interface Times {
  readonly started_at: number;
  readonly ended_at: number;
  readonly changes: Promise<Changes> | null;
  hash(text: string): string;
}

const factsOf = ({ call, args }: Work, done: Done, { hash, ...times }: Times) => ({
  ...{ call_id: call.id, tool: call.name, args_hash: hash(canonical(args)), ...times },
  ...{ ok: errorOf(done) === null, cancelled: done.cancelled, mutation_state: done.mutation_state },
  exit_code: done.outcome.exit_code ?? null,
  output: done.outcome.full_output ?? done.outcome.content,
  files: done.outcome.files ?? [],
});

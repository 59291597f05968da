import type { Step } from "../work.ts";

/** Before a tool with side effects runs, what it is about to touch is written down: a crash can then be accounted for. */
export const intend: Step = async (work, next, ports) => {
  const tool = work.tool;
  if (tool === null || tool.side_effects === "none") return next(work);
  const context = {
    ...ports.scope,
    role: ports.tools.role,
    call_id: work.call.id,
    signal: work.signal,
    isCancelled: () => work.signal.aborted,
  };
  const paths = tool.targets?.(work.args, context);
  const files_before =
    paths === undefined
      ? null
      : Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await ports.keepFile(path)] as const)));
  await ports.intend({
    call_id: work.call.id,
    tool: tool.name,
    args_hash: ports.hashText(canonical(work.args)),
    files_before,
    ts: ports.now(),
  });
  return next({ ...work, files_before });
};

/** JSON with sorted keys: the same arguments hash alike however the model ordered them. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

import type { Receipt } from "@smith/contract/receipt";
import type { Completion, Intent, Store } from "@smith/contract/store";
import type { FileTouch, MutationState } from "@smith/contract/tool";
import type { Roles } from "@smith/engine";

/** What recovery needs of the world. */
export interface RecoveryPorts {
  readonly store: Store;
  readonly roles: Roles;
  cwd(): string;
  /** SHA-256, first 16 hex digits; null when there is no such file. */
  hashFile(path: string): Promise<string | null>;
}

/** How an open call ended. */
export interface ResolvedCall {
  readonly tool: string;
  /** For people: `attempted`, or what a job came to. */
  readonly state: string;
  readonly content: string;
  readonly ok: boolean;
  readonly recall_key?: string;
  /** Of one that may have run. */
  readonly receipt?: Receipt;
}

/** What the store completes the turn with. */
export const completionOf = (calls: readonly ResolvedCall[]): Completion => ({
  ends: calls.map(({ tool: _tool, state: _state, receipt: _receipt, ...end }) => end),
  receipts: calls.flatMap(({ receipt }) => receipt ?? []),
});

/** What a call says whose process ended. */
const INTERRUPTED = "interrupted: the process ended before this call finished";

/** What may have come of a call that was cut off, by the files it had named before. */
export async function probe(
  intent: Intent | undefined,
  ports: RecoveryPorts,
): Promise<{ state: MutationState; content: string; files: readonly FileTouch[] }> {
  const told = (state: MutationState, why: string, files: readonly FileTouch[] = []) => ({
    ...{ state, files },
    content: `${INTERRUPTED}\nmutation_state: ${state} (${why})`,
  });
  // The intent is written before the handler is entered.
  if (intent === undefined) return told("none", "it had not begun, or has no side effects");
  if (intent.files_before === null) {
    return told("unknown", "it may have run in part or in full; look at what it was to change before you repeat it");
  }
  const changed = await changedFiles([intent], ports);
  if (changed.length === 0) return told("none", `unchanged: ${Object.keys(intent.files_before).join(", ")}`);
  return told("attempted", `changed since: ${changed.map(({ path }) => path).join(", ")}`, changed);
}

/** The files that are not as they were before the first intent that named them, sorted by path. */
export async function changedFiles(
  intents: readonly Intent[],
  { hashFile }: Pick<RecoveryPorts, "hashFile">,
): Promise<readonly FileTouch[]> {
  const before = new Map<string, string | null>();
  for (const { files_before } of intents) {
    for (const [path, hash] of Object.entries(files_before ?? {})) if (!before.has(path)) before.set(path, hash);
  }
  const checked = await Promise.all(
    [...before].map(async ([path, hash_before]) => {
      const hash_after = await hashFile(path);
      return hash_after === hash_before ? [] : [{ path, hash_before, hash_after }];
    }),
  );
  return checked.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

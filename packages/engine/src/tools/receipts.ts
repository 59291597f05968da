import type { ChangedFile, Receipt } from "@smith/contract/receipt";
import type { FileTouch } from "@smith/contract/tool";

/** What changed in a tree while a command ran; null with a reason when nobody can tell. */
export type Changes =
  | { readonly changed: readonly ChangedFile[]; readonly why: null }
  | { readonly changed: null; readonly why: string };

/** Finds out what commands change. One for all turns of a process, as they share the disk. Nothing here throws. */
export interface TreeWatch {
  /** A command of this owner's begins in this tree; what `end` returns resolves when somebody has looked. */
  begin(root: string | null, owner: object): { end(): Promise<Changes> };
  /** Files that a tool of ours has just written. */
  wrote(files: readonly FileTouch[]): void;
  /**
   * When all that has ended was looked at: what follows must not be mistaken for what was before. With an owner, only
   * when others have something open: what one turn does twice is its own either way.
   */
  settled(owner?: object): Promise<void>;
}

export interface ReceiptBookPorts {
  readonly job_id: string | null;
  readonly watch: TreeWatch;
  hashText(text: string): string;
  /** Keeps the output; returns its key, or null when it could not be kept. Must not throw. */
  keep(output: string): Promise<string | null>;
}

/** What the executor knows of a call that has ended. */
export type CallFacts = Pick<
  Receipt,
  "call_id" | "tool" | "args_hash" | "started_at" | "ended_at" | "ok" | "cancelled" | "exit_code" | "mutation_state"
> & {
  readonly output: string;
  readonly files: readonly FileTouch[];
  /** After a command: what it changed, as soon as that is known. */
  readonly changes: Promise<Changes> | null;
};

/** The receipts of one turn. */
export interface ReceiptBook {
  readonly watch: TreeWatch;
  /** Returns its id. */
  add(call: CallFacts): Promise<string>;
  /** In the order the calls ended; what commands changed stands in them once it is known. */
  list(): readonly Receipt[];
  /** To be written with the message of a call: its receipt, and those taken before of which more is known since. */
  take(call_id: string): readonly Receipt[];
  /** All that nobody has taken as they are now. */
  rest(): readonly Receipt[];
  /** When all of it is known. */
  settled(): Promise<void>;
}

export function createReceiptBook({ job_id, watch, hashText, keep }: ReceiptBookPorts): ReceiptBook {
  const receipts: Receipt[] = [];
  const pending = new Set<Promise<void>>();
  /** Positions of those that are new or changed, and of those that were taken. */
  const [due, taken] = [new Set<number>(), new Set<number>()];
  const takeThose = (isWanted: (at: number) => boolean): readonly Receipt[] => {
    const wanted = [...due].filter(isWanted).sort((a, b) => a - b);
    for (const at of wanted) {
      due.delete(at);
      taken.add(at);
    }
    return wanted.flatMap((at) => receipts[at] ?? []);
  };
  const fillIn = (at: number, changes: Promise<Changes>) => {
    const filled = changes.then(({ changed, why }) => {
      const receipt = receipts[at];
      if (receipt !== undefined)
        receipts[at] = { ...receipt, changed_during: changed === null ? null : [...changed], changed_unknown: why };
      due.add(at);
      pending.delete(filled);
    });
    pending.add(filled);
  };
  return Object.freeze({
    watch,
    async add({ output, changes, files, ...facts }: CallFacts) {
      const at = receipts.length;
      const receipt_id = `r${at + 1}`;
      const receipt: Receipt = {
        ...{ receipt_id, job_id, ...facts, output_hash: hashText(output), output_bytes: Buffer.byteLength(output) },
        ...{ output_key: null, files: [...files], changed_during: null },
        changed_unknown: changes === null ? null : "it was not known in time",
      };
      receipts.push(receipt); // takes the number before anything is waited for
      if (changes !== null) fillIn(at, changes);
      const output_key = await keep(output);
      receipts[at] = { ...(receipts[at] ?? receipt), output_key };
      due.add(at);
      return receipt_id;
    },
    list: () => [...receipts],
    take: (call_id: string) => takeThose((at) => taken.has(at) || receipts[at]?.call_id === call_id),
    rest: () => takeThose(() => true),
    async settled() {
      if (pending.size > 0) await watch.settled();
      await Promise.all(pending);
    },
  });
}

/** A watch that sees nothing, for turns without a tree. */
export const blindWatch = (why: string): TreeWatch =>
  Object.freeze({
    begin: () => ({ end: async () => ({ changed: null, why }) }),
    wrote: () => {},
    settled: async () => {},
  });

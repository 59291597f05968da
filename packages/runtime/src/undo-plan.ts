import type { TranscriptMessage } from "@smith/contract/message";
import type { Receipt } from "@smith/contract/receipt";
import type { Store } from "@smith/contract/store";
import type { Undone } from "@smith/contract/undo";
import { jobConversation } from "./job-places.ts";
import type { Rewind } from "./undo-files.ts";

export interface UndoPlan {
  readonly rewinds: readonly Rewind[];
  /** Changed by commands: nothing says what they held. */
  readonly left: Undone["left"];
  /** Changed by somebody else between two calls of ours. */
  readonly broken: Undone["left"];
  readonly notes: readonly string[];
}

/** What the receipts of turns, and of the jobs they handed out, say of files. */
export async function planUndo(id: string, turns: readonly string[], store: Store): Promise<UndoPlan> {
  const { messages } = await store.conversation.messages(id);
  const receipts: Receipt[] = [];
  const notes: string[] = [];
  for (const turn of turns) {
    const said = messages.filter((message) => message.turn_id === turn);
    receipts.push(...(await receiptsOf({ id, turn, said }, { store, notes })));
  }
  receipts.sort((a, b) => a.ended_at - b.ended_at);
  const byCommand = commandChanges(receipts);
  const chains = new Map<string, Rewind>();
  const broken = new Map<string, string>();
  for (const { path, hash_before, hash_after } of receipts.flatMap(({ files }) => files)) {
    const known = chains.get(path);
    if (known !== undefined && known.from !== hash_before && !byCommand.has(path)) {
      broken.set(path, "somebody else changed it between two calls");
    }
    chains.set(path, { path, from: hash_after, to: known === undefined ? hash_before : known.to });
  }
  for (const { tool, changed_during, changed_unknown } of receipts) {
    if (changed_during === null && changed_unknown !== null) {
      const note = `What ${tool} changed is not known (${changed_unknown}); it stays.`;
      if (!notes.includes(note)) notes.push(note);
    }
  }
  const left = [...byCommand].filter((path) => !chains.has(path));
  return {
    rewinds: [...chains.values()].filter(({ from, to }) => from !== to),
    left: left.map((path) => ({ path, why: "a command changed it: what it held before is not kept" })),
    broken: [...broken].map(([path, why]) => ({ path, why })),
    notes,
  };
}

const commandChanges = (receipts: readonly Receipt[]): ReadonlySet<string> =>
  new Set(receipts.flatMap(({ changed_during }) => changed_during ?? []).map(({ path }) => path));

interface Said {
  readonly id: string;
  readonly turn: string;
  readonly said: readonly TranscriptMessage[];
}

/** With those of its jobs, and of theirs. */
async function receiptsOf(
  { id, turn, said }: Said,
  ports: { readonly store: Store; readonly notes: string[] },
): Promise<readonly Receipt[]> {
  const { store, notes } = ports;
  const own = await store.receipt.list(id, turn);
  if (own.length === 0 && said.some(mayHaveRun)) {
    notes.push(`${turn} of ${id} has no receipts: what its tools changed was not written down, and stays.`);
  }
  const all = [...own];
  for (const job of jobsOf(said)) {
    const child = jobConversation(job);
    const { messages } = await store.conversation.messages(child);
    for (const each of new Set(messages.map(({ turn_id }) => turn_id))) {
      const inTurn = messages.filter(({ turn_id }) => turn_id === each);
      all.push(...(await receiptsOf({ id: child, turn: each, said: inTurn }, ports)));
    }
  }
  return all;
}

/** By its result, in a turn of an earlier Smith that was killed before its receipts were written. */
const mayHaveRun = (each: TranscriptMessage): boolean =>
  each.role === "tool" && (each.ok || /\nmutation_state: (?:attempted|unknown)/.test(each.content));

/** The jobs that dispatch calls handed out, by the results they got. */
const jobsOf = (said: readonly TranscriptMessage[]): ReadonlySet<string> =>
  new Set(
    said.flatMap((message) => {
      if (message.role !== "tool" || message.name !== "dispatch") return [];
      const job =
        message.recall_key?.replace(/^dispatch\//, "") ?? /"job_id":"([0-9A-Za-z]{12})"/.exec(message.content)?.[1];
      return job === undefined ? [] : [job];
    }),
  );

import { type ScriptedLlm, startScriptedLlm } from "@smith/testkit";
import { benchmarks } from "./list.ts";

/** What the bench tells the server: start a fresh model with the script of a benchmark, or end it and report. */
export type Order = { readonly play: string } | { readonly stop: true };

/** What the server answers: where the model is, or what it saw. */
export type Reply = { readonly url: string } | Seen | { readonly error: string };

export interface Seen {
  readonly rounds_ms: readonly number[];
  /** What broke the script, one sentence each. */
  readonly faults: readonly string[];
}

/** An answer of a tool call goes out in one write. */
const PIECE_BYTES = 1 << 20;

/** The scripted model in a process of its own: the measured loop shares no event loop with it. Ends with its parent. */
export function serve(): void {
  let playing: Playing | null = null;
  process.on("disconnect", () => process.exit());
  process.on("message", (order: Order) => {
    obey(order).then(
      (reply) => process.send?.(reply),
      (error: unknown) => process.send?.({ error: String(error) } satisfies Reply),
    );
  });

  async function obey(order: Order): Promise<Reply> {
    if ("play" in order) {
      playing = await play(order.play);
      return { url: playing.llm.url };
    }
    const ended = playing;
    playing = null;
    return ended === null ? { error: "nothing is playing" } : await finish(ended);
  }
}

interface Exchange {
  readonly asked_at: number;
  readonly answered_at: number;
}

interface Playing {
  readonly llm: ScriptedLlm;
  readonly exchanges: readonly Promise<Exchange>[];
}

async function play(name: string): Promise<Playing> {
  const contest = benchmarks.find((each) => each.name === name)?.contest;
  if (contest?.beside !== "minimal") throw new Error(`no benchmark ${name} has a script`);
  const steps = contest.steps();
  const llm = await startScriptedLlm(steps, { piece_bytes: PIECE_BYTES });
  return { llm, exchanges: steps.map((_, index) => exchange(llm, index + 1)) };
}

async function exchange(llm: ScriptedLlm, n: number): Promise<Exchange> {
  const request = await llm.received(n);
  await request.closed;
  return { asked_at: request.at, answered_at: performance.now() };
}

async function finish({ llm, exchanges }: Playing): Promise<Seen> {
  await llm.close(); // what never came is rejected now
  const settled = await Promise.allSettled(exchanges);
  const done = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const rounds_ms = done.slice(1).map((each, index) => each.asked_at - (done[index]?.answered_at ?? Number.NaN));
  const left = llm.leftover();
  return { rounds_ms, faults: [...llm.violations, ...(left === 0 ? [] : [`${left} scripted answer(s) left over`])] };
}

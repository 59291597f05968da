import type { RecordedRequest, Step } from "@smith/testkit";
import type { Benchmark, PromptContest } from "../benchmark.ts";
import { median } from "../median.ts";

const ROUNDS = 20;

/** What a round costs between two model calls: decode, run `echo`, append, send. */
export const round: Benchmark & { readonly contest: PromptContest } = {
  name: "round",
  measured: `a round of one \`echo\`, median of ${ROUNDS}, ms`,
  contest: {
    beside: "minimal",
    prompt: "Run the commands one after the other.",
    steps: () => echoing(ROUNDS),
    printed: () => "Done.",
  },
  figure: (run) => median(run.rounds_ms),
};

/** One command a round, each checked in the next request; `width` characters of blanks come before what it says. */
export function echoing(count: number, width = 0): readonly Step[] {
  const rounds = Array.from({ length: count }, (_, index) => index + 1);
  const command = (n: number) => (width === 0 ? `echo round-${n}` : `printf '%${width}s\\n' round-${n}`);
  return [
    ...rounds.map((n) => ({
      call: [{ id: `call_${n}`, name: "bash", args: { command: command(n) } }],
      expect: echoed(n - 1),
    })),
    { say: "Done.", expect: echoed(count) },
  ];
}

/** A run whose tool did not really run would be fast for nothing. */
const echoed = (n: number) => (request: RecordedRequest) => {
  if (n === 0) return;
  const { messages } = request.body as { messages: readonly { tool_call_id?: string; content?: unknown }[] };
  const answer = messages.find((message) => message.tool_call_id === `call_${n}`);
  const text = JSON.stringify(answer?.content ?? null);
  if (!text.includes(`round-${n}`)) throw new Error(`the answer to call_${n} should hold "round-${n}", got ${text}`);
};

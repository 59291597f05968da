import type { Step } from "@smith/testkit";
import type { Benchmark, Run } from "../benchmark.ts";

const MB = 1024 * 1024;
const CHUNK_CHARS = 32;
/** Events in one write, about 10 KB: the server must not be what is measured. */
const EVENTS_PER_WRITE = 64;

/** What a long answer costs: parsing the stream, gathering it, printing it, keeping it. */
export const streamOf = (mb: number) =>
  ({
    name: "stream",
    measured: `${mb} MB answer in ${CHUNK_CHARS}-character chunks, ms`,
    contest: {
      beside: "minimal" as const,
      prompt: "Tell it all.",
      steps: () => steps(mb * MB),
      printed: () => markdown(mb * MB),
    },
    figure: (run: Run) => run.wall_ms,
  }) satisfies Benchmark;

export const stream = streamOf(2);

const PARAGRAPH = [
  "## A heading",
  "",
  "A paragraph with **strong** words, `code`, and a [link](https://example.com/page).",
  "",
  "- one thing",
  "- another thing, *leaning*",
  "",
  "```ts",
  'export const answer = (question: string): number => (question === "" ? 0 : 42);',
  "```",
  "",
  "",
].join("\n");

/** ASCII throughout: a character is a byte. */
function markdown(chars: number): string {
  const end = "The end.\n";
  const times = Math.ceil(chars / PARAGRAPH.length);
  return PARAGRAPH.repeat(times).slice(0, chars - end.length) + end;
}

function steps(chars: number): readonly Step[] {
  const text = markdown(chars);
  const events = Array.from({ length: chars / CHUNK_CHARS }, (_, index) =>
    chunk({ content: text.slice(index * CHUNK_CHARS, (index + 1) * CHUNK_CHARS) }, null),
  );
  events.unshift(chunk({ role: "assistant", content: "" }, null));
  events.push(chunk({}, "stop"), "data: [DONE]\n\n");
  const writes = Array.from({ length: Math.ceil(events.length / EVENTS_PER_WRITE) }, (_, index) =>
    events.slice(index * EVENTS_PER_WRITE, (index + 1) * EVENTS_PER_WRITE).join(""),
  );
  return [{ raw: writes }];
}

const chunk = (delta: unknown, finish_reason: string | null): string =>
  `data: ${JSON.stringify({ id: "bench", object: "chat.completion.chunk", created: 0, model: "bench", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

import { SCRATCHPAD } from "@smith/contract/note";
import type { Store } from "@smith/contract/store";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { summaryOf } from "../code/words.ts";
import { answering, printable } from "../fault.ts";

const RecordArguments = z.strictObject({ key: z.string().min(1), value: z.string() });
type RecordArguments = z.infer<typeof RecordArguments>;

/** `record`: keeps a value on the conversation's scratchpad. */
export const createRecord = (store: Store): Tool<RecordArguments> =>
  Object.freeze({
    name: "record",
    description: "Keep a value under a key in this conversation; recall gives it back.",
    schema: RecordArguments,
    side_effects: "none",
    run: (args, context) => answering(args.key, () => record(args, context, store)),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<RecordArguments>);

async function record({ key, value }: RecordArguments, context: ToolContext, store: Store): Promise<ToolOutcome> {
  await store.note.put(context.conversation_id, SCRATCHPAD + key, value);
  const shown = printable(key);
  return { ok: true, content: `recorded ${shown}`, metadata: { summary: `${shown} (${value.length} chars)` } };
}

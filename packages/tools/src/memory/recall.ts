import { SCRATCHPAD } from "@smith/contract/note";
import type { Store } from "@smith/contract/store";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { count, summaryOf } from "../code/words.ts";
import { answering, printable, refusal } from "../fault.ts";
import { type KeptOutputs, keptText, outputKey } from "../kept-output.ts";
import { messageValue, roundValue } from "./message-value.ts";
import { nearest } from "./near.ts";
import { projectValue } from "./project-value.ts";
import { HINT_CHARS, PAGE_CHARS, pageOf } from "./text-page.ts";

const RecallArguments = z.strictObject({
  key: z.string(),
  prefix: z.boolean().default(false).describe("list the keys that begin with key"),
  offset: z.int().min(0).max(1e9).default(0),
  limit: z.int().min(1).max(1e9).default(PAGE_CHARS),
});
type RecallArguments = z.infer<typeof RecallArguments>;

/** `recall`: a recorded value, a job's report or a message by its key, or the list of recorded keys. */
export const createRecall = (store: Store, outputs: KeptOutputs): Tool<RecallArguments> =>
  Object.freeze({
    name: "recall",
    description:
      "Read by key: what was recorded, a job's full result (dispatch/<job_id>), a tool output (output/<turn_id>/r7), a round (round/<turn_id>/<n>), a message (message/<conversation_id>/<seq>). offset and limit count characters.",
    schema: RecallArguments,
    side_effects: "none",
    max_chars: PAGE_CHARS + HINT_CHARS,
    run: (args, context) =>
      answering(args.key, () =>
        args.prefix ? listKeys(args, context, store) : recall(args, context, { store, outputs }),
      ),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<RecallArguments>);

interface Shelves {
  readonly store: Store;
  readonly outputs: KeptOutputs;
}

async function recall(args: RecallArguments, context: ToolContext, shelves: Shelves): Promise<ToolOutcome> {
  const value = await findValue(args.key, context, shelves);
  if (value === null) throw await unknownKey(args.key, context, shelves.store);
  const summary = `${printable(args.key)} (${count(value.length, "char")})`;
  return { ok: true, content: pageOf(value, args), metadata: { summary, chars: value.length } };
}

async function findValue(key: string, context: ToolContext, { store, outputs }: Shelves): Promise<string | null> {
  const recorded = await store.note.get(context.conversation_id, SCRATCHPAD + key);
  if (recorded !== null) return recorded;
  const output = outputKey(key);
  if (output !== null) return keptText(output, { outputs, context, name: key });
  const round = await roundValue(store, key, context.conversation_id);
  if (round !== null || !isInReach(key, context)) return round;
  return (await messageValue(store, key, context.project_id)) ?? projectValue(store, key, context.project_id);
}

/** A report that this conversation was given is recorded in it, and found before. */
const isInReach = (key: string, { reach, conversation_id }: ToolContext): boolean =>
  reach !== "conversation" ||
  ["memory/", `message/${conversation_id}/`, `note/${conversation_id}/`].some((begin) => key.startsWith(begin));

async function listKeys(args: RecallArguments, context: ToolContext, store: Store): Promise<ToolOutcome> {
  const found = await keysOf(args.key, context, store);
  const summary = count(found.length, "key");
  if (found.length === 0) {
    return { ok: true, content: `no key begins with ${printable(args.key)}`, metadata: { summary } };
  }
  const lines = found.map(({ key, chars }) => `${printable(key)} (${count(chars, "char")})`);
  return { ok: true, content: pageOf(lines.join("\n"), args), metadata: { summary } };
}

async function keysOf(prefix: string, { conversation_id }: ToolContext, store: Store) {
  const notes = await store.note.list(conversation_id, SCRATCHPAD + prefix);
  return notes.map(({ id, chars }) => ({ key: id.slice(SCRATCHPAD.length), chars }));
}

async function unknownKey(key: string, context: ToolContext, store: Store): Promise<Error> {
  const keys = (await keysOf("", context, store)).map((each) => each.key);
  const near = nearest(key, keys).map(printable);
  const there = keys.length === 0 ? "Nothing is recorded in this conversation." : 'key "" with prefix lists them all.';
  const mend = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : there;
  return refusal("not_found", `There is no key ${printable(key)}. ${mend}`);
}

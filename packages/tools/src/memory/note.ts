import type { Memory, Store } from "@smith/contract/store";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { count, summaryOf } from "../code/words.ts";
import { answering, printable, refusal } from "../fault.ts";
import { nearest } from "./near.ts";

/** Chance and time, for notes that are made or changed. */
export interface NoteWorld {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A few letters that are hard to hit twice. */
  newId(): string;
}

const LABEL_CHARS = 100;

const NoteArguments = z.strictObject({
  action: z.enum(["list", "get", "upsert", "delete"]),
  id: z.string().optional().describe("upsert without id makes a new note"),
  content: z.string().optional(),
});
type NoteArguments = z.infer<typeof NoteArguments>;

/** `note`: what the project remembers over all its conversations. */
export const createNote = (store: Store, world: NoteWorld): Tool<NoteArguments> =>
  Object.freeze({
    name: "note",
    description: "This project's memory, shared by all its conversations.",
    schema: NoteArguments,
    side_effects: "none",
    run: (args, context) => answering(args.id ?? args.action, () => act(args, { context, store, world })),
    result_renderer: (_args, outcome) => summaryOf(outcome),
  } satisfies Tool<NoteArguments>);

interface Scene {
  readonly context: ToolContext;
  readonly store: Store;
  readonly world: NoteWorld;
}

function act({ action, id = "", content }: NoteArguments, scene: Scene): Promise<ToolOutcome> {
  if (action === "list") return list(scene);
  if (action === "upsert") return upsert(id, content, scene);
  if (id === "") throw refusal("bad_arguments", `note ${action} needs an id; note list shows them.`, "schema");
  return action === "get" ? get(id, scene) : remove(id, scene);
}

async function list({ context, store }: Scene): Promise<ToolOutcome> {
  const notes = await store.memory.list(context.project_id);
  const lines = notes.map((note) => `${note.id} (${count(note.content.length, "char")}): ${labelOf(note)}`);
  const content = notes.length === 0 ? "this project has no notes" : lines.join("\n");
  return done(content, count(notes.length, "note"));
}

async function get(id: string, scene: Scene): Promise<ToolOutcome> {
  const { content } = await existing(id, scene);
  return done(content, `${printable(id)} (${count(content.length, "char")})`);
}

async function upsert(id: string, content: string | undefined, scene: Scene): Promise<ToolOutcome> {
  const { context, store, world } = scene;
  if (content === undefined || content.trim() === "") {
    throw refusal("bad_arguments", "note upsert needs content; note delete removes a note.", "schema");
  }
  const target = id === "" ? await freshId(scene) : (await existing(id, scene)).id;
  await store.memory.put(context.project_id, { id: target, content, updated_at: world.now() });
  return done(`${id === "" ? "created" : "updated"} ${printable(target)}`);
}

async function remove(id: string, scene: Scene): Promise<ToolOutcome> {
  if (await scene.store.memory.delete(scene.context.project_id, id)) return done(`deleted ${printable(id)}`);
  throw await unknownId(id, scene);
}

async function existing(id: string, scene: Scene): Promise<Memory> {
  const found = await scene.store.memory.get(scene.context.project_id, id);
  if (found === null) throw await unknownId(id, scene);
  return found;
}

async function freshId({ context, store, world }: Scene): Promise<string> {
  let id = `m${world.newId()}`;
  while ((await store.memory.get(context.project_id, id)) !== null) id = `m${world.newId()}`;
  return id;
}

async function unknownId(id: string, { context, store }: Scene): Promise<Error> {
  const ids = (await store.memory.list(context.project_id)).map((note) => note.id);
  const near = nearest(id, ids).map(printable);
  const there = ids.length === 0 ? "This project has no notes." : "note list shows them.";
  const mend = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : there;
  return refusal("not_found", `There is no note ${printable(id)}. ${mend} upsert without id makes a new one.`);
}

/** The first line with something on it. */
function labelOf({ content }: Memory): string {
  const line = content.split("\n").find((each) => each.trim() !== "") ?? "";
  const text = line.trim();
  return printable(text.length <= LABEL_CHARS ? text : `${text.slice(0, LABEL_CHARS - 1).toWellFormed()}…`);
}

const done = (content: string, summary = content): ToolOutcome => ({ ok: true, content, metadata: { summary } });

import { AgentError } from "@smith/contract/error";
import { textOf, type UserMessage } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import type { UndoHost, Undone, UndoWhat } from "@smith/contract/undo";
import { z } from "zod";
import type { Exclusive } from "./context-host.ts";
import { undoneTurns } from "./conversation-marks.ts";
import { hashFile } from "./hash.ts";
import { checkFiles, keepPresent, rewindFiles } from "./undo-files.ts";
import { planUndo } from "./undo-plan.ts";
import type { TurnWorld } from "./world.ts";

/** The note that stands while an undo is under way. */
const UNDER_WAY = "undo";
const UnderWay = z.object({
  turns: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
});

export const createUndoHost = (world: () => TurnWorld, exclusive: Exclusive): UndoHost =>
  Object.freeze({
    undo: (what: UndoWhat, { files }: { readonly files: boolean }) => exclusive(() => undo(what, files, world())),
  });

async function undo(what: UndoWhat, withFiles: boolean, world: TurnWorld): Promise<Undone> {
  const { conversation, persistence: store } = world.services;
  const id = conversation.current();
  if (id === null) throw nothing("a session begins with its first line");
  const { history } = await conversation.reload(id); // what others added, and whether one is at work in it
  const lines = history.filter((message) => message.role === "user" && message.round === 0) as UserMessage[];
  const chosen = chooseTurns(what, lines);
  const turns = chosen.map(({ turn_id }) => turn_id);
  const files = withFiles ? await undoFiles(id, turns, world) : { files: [], left: [], notes: [] };
  await conversation.rewind(id, turns);
  await store.note.put(id, UNDER_WAY, "");
  const content = chosen[0]?.content ?? "";
  const had_images = typeof content !== "string" && content.some(({ type }) => type === "image");
  return { turns, line: textOf(content).trim(), had_images, ...files };
}

function chooseTurns(what: UndoWhat, lines: readonly UserMessage[]): readonly UserMessage[] {
  if (lines.length === 0) throw nothing("no turn is left in what the model is sent");
  if ("from" in what) {
    const at = lines.findIndex(({ turn_id }) => turn_id === what.from);
    if (at !== -1) return lines.slice(at);
    throw nothing(`${what.from} is none of the turns that the model is sent: ${named(lines)}`);
  }
  if (what.last <= lines.length) return lines.slice(-what.last);
  throw nothing(`${what.last} turns are asked for, and the model is sent ${lines.length}: ${named(lines)}`);
}

const named = (lines: readonly UserMessage[]): string => lines.map(({ turn_id }) => turn_id).join(", ");

async function undoFiles(
  id: string,
  turns: readonly string[],
  { services, watch }: TurnWorld,
): Promise<Pick<Undone, "files" | "left" | "notes">> {
  const { persistence: store } = services;
  const plan = await planUndo(id, turns, store);
  const { ready, done, left, foreign } = await checkFiles(plan.rewinds, store.blob);
  const others = [...plan.broken, ...foreign];
  if (others.length > 0) throw changedSince(others, turns);
  await keepPresent(ready, store.blob);
  const under = { turns, files: ready.map(({ path, from, to }) => ({ path, from, to })) };
  await store.note.put(id, UNDER_WAY, JSON.stringify(under));
  try {
    await rewindFiles(ready);
  } catch (thrown) {
    await store.note.put(id, UNDER_WAY, "").catch(() => {}); // it is told now
    throw thrown;
  }
  watch.wrote(ready.map(({ path, from, to }) => ({ path, hash_before: from, hash_after: to })));
  return {
    files: [
      ...ready.map(({ path, from, to }) => ({
        ...{ path, what: to === null ? ("removed" as const) : ("restored" as const), kept: from },
      })),
      ...done.map(({ path }) => ({ path, what: "as it was" as const, kept: null })),
    ],
    left: [...left, ...plan.left],
    notes: plan.notes,
  };
}

/** What an undo that was cut off has come to, by the files as they are; null when none was. */
export async function unfinishedUndo(id: string, store: Store): Promise<string | null> {
  const text = await store.note.get(id, UNDER_WAY).catch(() => null);
  if (text === null || text === "") return null;
  const plan = readPlan(text);
  if (plan === null) return null;
  const { turns, files } = plan;
  const undone = await undoneTurns(id, store);
  if (turns.every((turn) => undone.has(turn))) return null; // nothing but the end of this note was missing
  const states = await Promise.all(files.map(async ({ path, to }) => ({ path, back: (await hashFile(path)) === to })));
  const those = (back: boolean) => states.filter((each) => each.back === back).map(({ path }) => path);
  const list = (paths: readonly string[]) => (paths.length === 0 ? "none" : paths.join(", "));
  return `An undo of ${turns.join(", ")} was cut off. Files put back: ${list(those(true))}; not yet: ${list(those(false))}. /undo ${turns[0] ?? ""} ends it.`;
}

/** Null for a damaged one: it must not keep the session from being gone on with. */
function readPlan(text: string): z.infer<typeof UnderWay> | null {
  try {
    return UnderWay.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const nothing = (why: string): AgentError =>
  new AgentError({
    kind: "policy",
    code: "nothing_to_undo",
    origin: "runtime/undo",
    message: `There is nothing to undo: ${why}.`,
  });

const changedSince = (files: Undone["left"], turns: readonly string[]): AgentError =>
  new AgentError({
    kind: "policy",
    code: "changed_since",
    origin: "runtime/undo",
    data: { files },
    message: [
      `Nothing is undone: somebody else changed files since ${turns.join(", ")}.`,
      ...files.map(({ path, why }) => `  ${path}: ${why}`),
      "Put them back yourself, or rewind the talk alone: /undo --talk.",
    ].join("\n"),
  });

import { checkCancelled } from "@smith/contract/cancel";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type Confine, locate, type Place, targetsOf } from "./confine.ts";
import { type Glimpse, glimpse, notFound, oneAtATime, otherNames, replaceFile, statRegular } from "./disk-file.ts";
import { markOf } from "./encoding.ts";
import { answering, printable, refusal, requireText } from "./fault.ts";
import { makeFolder } from "./held-folder.ts";
import { hashBytes } from "./text-file.ts";

const WriteArguments = z.strictObject({ path: z.string(), content: z.string() });
type WriteArguments = z.infer<typeof WriteArguments>;

/** `write`: a whole file, created (with its directories) or overwritten. Not guarded by a hash. */
export const createWrite = (confine: Confine): Tool<WriteArguments> =>
  Object.freeze({
    name: "write",
    description: "Create or overwrite a whole file; parent directories are made. Returns its hash.",
    schema: WriteArguments,
    side_effects: "some",
    run: (args, context) => answering(args.path, () => write(args, context, confine !== "off")),
    targets: (args, context) => targetsOf(args.path, context, confine !== "off"),
    result_renderer: (args, outcome) =>
      outcome.ok
        ? `${printable(args.path)} (${Buffer.byteLength(args.content)} B)`
        : `error: ${outcome.error?.message}`,
  } satisfies Tool<WriteArguments>);

/** What the call leaves of its file; null for arguments that are refused. */
export function plannedWrite(given: unknown): Buffer | null {
  const args = WriteArguments.safeParse(given);
  return args.success ? Buffer.from(args.data.content, "utf8") : null;
}

async function write(args: WriteArguments, context: ToolContext, confined: boolean): Promise<ToolOutcome> {
  requireText("content", args.content);
  const place = locate(args.path, context, confined);
  if (args.path.endsWith("/")) {
    throw refusal("is_directory", `${printable(args.path)} names a directory. Give the path of a file.`);
  }
  const { signal } = context;
  return await oneAtATime(place.real, async () => {
    checkCancelled(signal);
    const before = await statRegular(place);
    if (before === null) await makeParent(args.path, place, context);
    const old = before === null ? null : await glimpse(place, signal);
    const bytes = Buffer.from(args.content, "utf8");
    await replaceFile(place, { bytes, before, signal });
    const hash = hashBytes(bytes);
    const size = `${place.shown} (${bytes.length} bytes) hash ${hash}`;
    return {
      ok: true,
      content: old === null ? `created ${size}` : `overwritten ${size} (was ${wasOf(old)})${otherNames(before, place)}`,
      files: [{ path: place.real, hash_before: old?.hash ?? null, hash_after: hash }],
    };
  });
}

/** What was overwritten: its hash, and its encoding where it was another than that of what was written. */
function wasOf({ hash, head }: Glimpse): string {
  const mark = markOf(head);
  return mark === null ? hash : `${hash}, in ${mark}; it is UTF-8 now`;
}

async function makeParent(path: string, place: Place, context: ToolContext): Promise<void> {
  // A directory named "~" is never what was meant.
  if (path.startsWith("~/")) throw await notFound(path, place, context);
  await makeFolder(place);
}

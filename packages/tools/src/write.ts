import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type Confine, locate, type Place, targetsOf } from "./confine.ts";
import { hashFile, notFound, oneAtATime, replaceFile, statRegular } from "./disk-file.ts";
import { answering, printable, refusal } from "./fault.ts";
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
    targets: (args, context) => targetsOf(args.path, context),
    result_renderer: (args, outcome) =>
      outcome.ok
        ? `${printable(args.path)} (${Buffer.byteLength(args.content)} B)`
        : `error: ${outcome.error?.message}`,
  } satisfies Tool<WriteArguments>);

async function write(args: WriteArguments, context: ToolContext, confined: boolean): Promise<ToolOutcome> {
  const place = locate(args.path, context, confined);
  if (args.path.endsWith("/")) {
    throw refusal("is_directory", `${printable(args.path)} names a directory. Give the path of a file.`);
  }
  return await oneAtATime(place.real, async () => {
    checkCancelled(context.signal);
    const before = await statRegular(place);
    if (before === null) await makeParent(args.path, place, context);
    const old = before === null ? null : await hashFile(place);
    const bytes = Buffer.from(args.content, "utf8");
    await replaceFile(place.real, bytes, { before });
    const hash = hashBytes(bytes);
    const size = `${place.shown} (${bytes.length} bytes) hash ${hash}`;
    return {
      ok: true,
      content: old === null ? `created ${size}` : `overwritten ${size} (was ${old})`,
      files: [{ path: place.real, hash_before: old, hash_after: hash }],
    };
  });
}

async function makeParent(path: string, place: Place, context: ToolContext): Promise<void> {
  // A directory named "~" is never what was meant.
  if (path.startsWith("~/")) throw await notFound(path, place, context);
  await mkdir(dirname(place.real), { recursive: true });
}

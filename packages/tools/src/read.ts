import type { FileHandle } from "node:fs/promises";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type Confine, locate, type Place } from "./confine.ts";
import { notFound, openRegular } from "./disk-file.ts";
import { decode, markOf, whyBinary } from "./encoding.ts";
import { answering, errnoOf, refusal } from "./fault.ts";
import { type KeptOutputs, keptText, outputPath } from "./kept-output.ts";
import { bytesSource, HASH_MAX_BYTES, PAGE_CHARS, PAGE_LINES, type Page, readPage } from "./page.ts";
import { hashBytes, looksBinary, numberLines, SNIFF_BYTES } from "./text-file.ts";

const ReadArguments = z.strictObject({
  path: z.string(),
  offset: z.int().min(1).max(1e9).default(1).describe("first line, 1-based"),
  limit: z.int().min(1).max(1e9).default(PAGE_LINES),
});
type ReadArguments = z.infer<typeof ReadArguments>;

/** `read`: a page of a text file, with its line count and the hash that guards edits. */
export const createRead = (confine: Confine, outputs: KeptOutputs): Tool<ReadArguments> =>
  Object.freeze({
    name: "read",
    description: `Read a text file: "path · N lines · hash H", then numbered lines ("12│text"), at most ${PAGE_LINES} lines or ${PAGE_CHARS} characters. Or a kept tool output: output:r7, output:<turn_id>/r7.`,
    schema: ReadArguments,
    side_effects: "none",
    max_chars: PAGE_CHARS + PAGE_LINES * 12 + 10_000, // the text, the gutter, header and hints
    run: (args, context) =>
      answering(args.path, () => {
        const kept = outputPath(args.path);
        if (kept === null) return read(args, context, confine === "all");
        return readKept(args, context, () => keptText(kept, { outputs, context, name: args.path }));
      }),
    result_renderer: (_args, outcome) =>
      outcome.metadata?.["summary"]?.toString() ?? `error: ${outcome.error?.message}`,
  } satisfies Tool<ReadArguments>);

async function read(args: ReadArguments, context: ToolContext, confined: boolean): Promise<ToolOutcome> {
  const place = locate(args.path, context, confined);
  const { handle, stats } = await openRegular(place).catch(async (thrown: unknown) => {
    throw errnoOf(thrown) === "ENOENT" ? await notFound(args.path, place, context) : thrown;
  });
  await using file = handle;
  const head = await headOf(file);
  const mark = markOf(head);
  if (mark !== null)
    return outcomeOf(await page16(file, { args, place, size: stats.size, context }), args, place, mark);
  if (looksBinary(head)) throw binary(place, head);
  return outcomeOf(await readPage(file, rangeOf(args), context.signal), args, place);
}

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

const binary = (place: Place, head: Uint8Array): Error =>
  refusal("binary", `${place.shown} is ${whyBinary(head)}. Look at it with bash: file, xxd, strings.`);

/** UTF-16 is turned into UTF-8 as a whole; the hash stays that of the file. */
async function page16(
  file: FileHandle,
  { args, place, size, context }: { args: ReadArguments; place: Place; size: number; context: ToolContext },
): Promise<Page> {
  if (size > HASH_MAX_BYTES) {
    throw refusal(
      "too_large",
      `${place.shown} is UTF-16 and has ${size} bytes; read takes up to 64 MiB of it. Use bash: iconv.`,
    );
  }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const decoded = decode(bytes);
  if (decoded === null) throw binary(place, bytes.subarray(0, SNIFF_BYTES));
  return { ...(await readPage(bytesSource(decoded.body), rangeOf(args), context.signal)), hash: hashBytes(bytes) };
}

/** A kept output, paged like a file. */
async function readKept(args: ReadArguments, context: ToolContext, find: () => Promise<string>): Promise<ToolOutcome> {
  const page = await readPage(bytesSource(Buffer.from(await find(), "utf8")), rangeOf(args), context.signal);
  return outcomeOf(page, args, { shown: args.path });
}

const rangeOf = ({ offset, limit }: ReadArguments) => ({ offset, limit: Math.min(limit, PAGE_LINES) });

const outcomeOf = (page: Page, { offset }: ReadArguments, place: Shown, encoding?: string): ToolOutcome => ({
  ok: true,
  content: show(page, offset, place) + (encoding === undefined ? "" : `\n[the file is ${encoding}; edit keeps it so]`),
  metadata: { summary: summarise(page, offset, place), lines: page.total, hash: page.hash },
});

type Shown = Pick<Place, "shown">;

function show(page: Page, offset: number, place: Shown): string {
  const count = `${page.counted_all ? "" : "over "}${page.total} lines`;
  const header = `${place.shown} · ${count} · hash ${page.hash ?? "unavailable (file too large)"}`;
  const numbered = page.lines.length === 0 ? [] : [numberLines(page.lines, offset)];
  return [header, ...numbered, ...hints(page, offset).map((hint) => `[${hint}]`)].join("\n");
}

function hints(page: Page, offset: number): readonly string[] {
  if (page.total === 0) return ["the file is empty"];
  if (page.lines.length === 0) return [`offset ${offset} is past the end: the file has ${page.total} lines`];
  const last = offset + page.lines.length - 1;
  const told: string[] = [];
  if (page.cut_bytes > 0) told.push(`line ${last} is cut: ${page.cut_bytes} more bytes; read them with bash: cut -c`);
  if (page.lossy) told.push("not valid UTF-8: bytes that could not be decoded are shown as U+FFFD");
  if (last < page.total) told.push(`lines ${offset}-${last} of ${page.total}; continue with offset ${last + 1}`);
  return told;
}

function summarise(page: Page, offset: number, place: Shown): string {
  const last = offset + page.lines.length - 1;
  if (page.lines.length === page.total) return `${place.shown} (${page.total} lines)`;
  return `${place.shown} (lines ${offset}-${Math.max(offset, last)})`;
}

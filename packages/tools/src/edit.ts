import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { checkCancelled } from "@smith/contract/cancel";
import type { Tool, ToolContext, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { type Confine, locate, type Place, targetsOf } from "./confine.ts";
import { glimpse, notFound, oneAtATime, openRegular, otherNames, replaceFile } from "./disk-file.ts";
import { type Edited, editRange, editStrings, type RangeEdit, type StringEdit } from "./edit-text.ts";
import { decode, whyBinary } from "./encoding.ts";
import { answering, errnoOf, printable, refusal, requireText } from "./fault.ts";
import { HASH_MAX_BYTES } from "./page.ts";
import { fromByteText, hashBytes, numberLines, SNIFF_BYTES, splitLines, withoutEnd } from "./text-file.ts";

const line = z.int().min(1).max(1e9).optional();
const EditArguments = z
  .strictObject({
    path: z.string(),
    hash: z.string().optional().describe("full-file hash last seen; required with op"),
    op: z.enum(["replace", "insert", "delete"]).optional(),
    start_line: line.describe("insert goes before it; N+1 appends"),
    end_line: line.describe("inclusive; default start_line"),
    text: z.string().optional(),
    old_string: z.string().optional(),
    new_string: z.string().optional(),
    replace_all: z.boolean().optional(),
  })
  // The two forms are one flat object, since many endpoints refuse unions; the law between the fields is told here.
  .superRefine((args, context) => {
    const form = formOf(args);
    if (typeof form === "string") context.addIssue({ code: "custom", message: form });
  });
type EditArguments = z.infer<typeof EditArguments>;

type Form = RangeEdit | StringEdit;

/** `edit`: whole lines under the guard of a hash, or literal text. */
export const createEdit = (confine: Confine): Tool<EditArguments> =>
  Object.freeze({
    name: "edit",
    description:
      "Edit a file, by lines: hash, op, start_line, end_line, text (replace, insert); or by exact text: old_string (unique unless replace_all), new_string. Returns new_hash and a snippet.",
    schema: EditArguments,
    side_effects: "some",
    run: (args, context) => answering(args.path, () => edit(args, context, confine !== "off")),
    targets: (args, context) => targetsOf(args.path, context, confine !== "off"),
    result_renderer: (args, outcome) =>
      outcome.ok
        ? `${printable(args.path)} line ${outcome.metadata?.["first_line"]} ok`
        : `error: ${outcome.error?.message}`,
  } satisfies Tool<EditArguments>);

/** The edit that the arguments describe, or what is wrong with them. */
function formOf(args: EditArguments): Form | string {
  if (args.old_string !== undefined || args.new_string !== undefined || args.replace_all !== undefined) {
    return stringForm(args);
  }
  return rangeForm(args);
}

function stringForm({ old_string, new_string, replace_all = false, ...args }: EditArguments): StringEdit | string {
  const stray = (["op", "start_line", "end_line", "text"] as const).find((name) => args[name] !== undefined);
  if (stray !== undefined) return `old_string/new_string takes no ${stray}: use one form or the other`;
  if (old_string === undefined) return "old_string is missing";
  if (new_string === undefined) return 'new_string is missing ("" deletes)';
  if (old_string === "") return 'old_string must not be empty: use op "insert", or write for a new file';
  return { old_string, new_string, replace_all };
}

function rangeForm({ op, hash, start_line, end_line, text }: EditArguments): RangeEdit | string {
  if (op === undefined) return "give op (replace, insert, delete) or old_string and new_string";
  if (hash === undefined) return `op "${op}" needs hash: the one that read, write or edit showed last`;
  if (start_line === undefined) return `op "${op}" needs start_line`;
  if (op === "insert" && end_line !== undefined) return 'op "insert" takes no end_line';
  if (op === "delete" && text !== undefined) return 'op "delete" takes no text';
  if (op !== "delete" && text === undefined) return `op "${op}" needs text`;
  return { op, start: start_line, end: end_line ?? start_line, text: text ?? "" };
}

async function edit(args: EditArguments, context: ToolContext, confined: boolean): Promise<ToolOutcome> {
  const form = formOf(args);
  if (typeof form === "string") throw refusal("bad_arguments", `${form}.`, "schema");
  requireText("op" in form ? "text" : "new_string", "op" in form ? form.text : form.new_string);
  const place = locate(args.path, context, confined);
  const { signal } = context;
  return await oneAtATime(place.real, async () => {
    checkCancelled(signal);
    const { bytes, stats } = await load(args.path, place, context);
    const old = hashBytes(bytes);
    if (args.hash !== undefined && args.hash !== old) throw stale(place, old);
    const { edited, written, notes } = apply(bytes, form, place);
    const verify = () => requireUnchanged(place, old, signal);
    await replaceFile(place, { bytes: written, before: stats, signal, verify });
    const hash = hashBytes(written);
    return {
      ok: true,
      content: show(edited, hash, place) + otherNames(stats, place) + notes,
      files: [{ path: place.real, hash_before: old, hash_after: hash }],
      metadata: { first_line: edited.first },
    };
  });
}

/** What the call would leave of a file of these bytes; null where it would be refused. */
export function plannedEdit(given: unknown, before: Buffer): Buffer | null {
  const args = EditArguments.safeParse(given);
  const form = args.success ? formOf(args.data) : "";
  if (typeof form === "string") return null;
  try {
    return apply(before, form, { real: "", absolute: "", shown: "", within: null }).written;
  } catch {
    return null; // as the call itself would have said
  }
}

/** @throws {AgentError} `stale_hash` when the file is no longer what the edit was made for. */
export async function requireUnchanged(place: Place, hash: string, signal: AbortSignal): Promise<void> {
  const now = await hashNow(place, signal);
  if (now !== hash) throw stale(place, now);
}

/** Null when the file has gone meanwhile. */
const hashNow = (place: Place, signal: AbortSignal): Promise<string | null> =>
  glimpse(place, signal).then(
    ({ hash }) => hash,
    (thrown: unknown) => {
      if (errnoOf(thrown) === "ENOENT") return null;
      throw thrown;
    },
  );

const stale = (place: Place, hash: string | null) =>
  refusal(
    "stale_hash",
    hash === null
      ? `${place.shown} was deleted or moved while it was edited. Nothing was written.`
      : `${place.shown} has changed since it was read: its hash is now ${hash}. Nothing was written; read it again, then edit.`,
  );

async function load(path: string, place: Place, context: ToolContext): Promise<{ bytes: Buffer; stats: Stats }> {
  const { handle, stats } = await openRegular(place).catch(async (thrown: unknown) => {
    throw errnoOf(thrown) === "ENOENT" ? await notFound(path, place, context) : thrown;
  });
  await using file = handle;
  if (stats.size > HASH_MAX_BYTES) {
    throw refusal("too_large", `${place.shown} has ${stats.size} bytes; edit takes up to 64 MiB. Use bash: sed -i.`);
  }
  return { bytes: await file.readFile(), stats };
}

interface Applied {
  readonly edited: Edited;
  readonly written: Buffer;
  /** Lines that tell what is special about the file. */
  readonly notes: string;
}

function apply(bytes: Buffer, form: Form, place: Place): Applied {
  const decoded = decode(bytes);
  if (decoded === null) {
    throw refusal("binary", `${place.shown} is ${whyBinary(bytes.subarray(0, SNIFF_BYTES))}: edit takes text.`);
  }
  const body = decoded.body.toString("latin1");
  const edited = "op" in form ? editRange(body, form) : editStrings(body, form);
  if (edited.body === body) {
    throw refusal("no_change", `The edit leaves ${place.shown} as it is: the new text equals the old.`);
  }
  const written = decoded.encode(Buffer.from(edited.body, "latin1"));
  if (decoded.encoding === "unknown") requireUnmixed(written, form, place);
  return { edited, written, notes: decoded.encoding.startsWith("utf-16") ? `\n[kept as ${decoded.encoding}]` : "" };
}

/** Text beyond ASCII goes in as UTF-8; among bytes of another encoding nobody could read both. */
function requireUnmixed(written: Buffer, form: Form, place: Place): void {
  const text = "op" in form ? form.text : form.new_string;
  // U+FFFD is what read shows for bytes it can't decode: written back, it would take their place.
  if (ASCII.test(text) || (isUtf8(written) && !text.includes("\ufffd"))) return;
  throw refusal(
    "not_utf8",
    `${place.shown} is not UTF-8, and what encoding it is can't be told: text beyond ASCII would mix two in one file. Nothing was written. Use ASCII only, or turn the file into UTF-8 first with bash: iconv -f latin1 -t utf-8.`,
  );
}

const ASCII = /^[\0-\x7f]*$/;

const AROUND = 3;
const SNIPPET_LINES = 40;
const SNIPPET_LINE_CHARS = 300;

function show(edited: Edited, hash: string, place: Place): string {
  const delta = edited.delta < 0 ? `${edited.delta}` : `+${edited.delta}`;
  const header = `edited ${place.shown} lines ${edited.first}-${edited.last} (${delta}) new_hash ${hash}`;
  return [header, ...snippet(edited)].join("\n");
}

/** The changed lines with three around them; the middle of a long change is left out. */
function snippet({ body, first, last_left }: Edited): readonly string[] {
  const lines = splitLines(body);
  const from = Math.max(1, first - AROUND);
  const to = Math.min(lines.length, last_left + AROUND);
  const show = (a: number, b: number) =>
    a > b
      ? []
      : [
          numberLines(
            lines.slice(a - 1, b).map((each) => shorten(fromByteText(withoutEnd(each)))),
            a,
          ),
        ];
  const over = to - from + 1 - SNIPPET_LINES;
  if (over <= 0) return show(from, to);
  const half = SNIPPET_LINES / 2;
  return [...show(from, from + half - 1), `[… ${over} lines not shown …]`, ...show(to - half + 1, to)];
}

const shorten = (text: string): string =>
  text.length > SNIPPET_LINE_CHARS ? `${text.slice(0, SNIPPET_LINE_CHARS)}…` : text;

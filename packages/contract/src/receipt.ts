import { z } from "zod";

const ms = z.int();
const hash = z.string();

const TouchedFile = z.object({
  /** Absolute, symlinks resolved. */
  path: z.string(),
  hash_before: hash.nullable(),
  hash_after: hash.nullable(),
});

const ChangedFile = z.object({
  /** Absolute. */
  path: z.string(),
  /** Another call ran at that moment in the same tree: it may be the one that changed it. */
  shared: z.boolean(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** What is known of one tool call that reached its handler. Times are ms since the epoch; hashes as everywhere. */
export const Receipt = z.object({
  /** `r<n>`, counted per turn from 1. */
  receipt_id: z.string().regex(/^r[1-9]\d*$/),
  job_id: z.string().nullable(),
  call_id: z.string(),
  tool: z.string(),
  /** Of the canonical arguments (sorted keys). */
  args_hash: hash,
  started_at: ms,
  ended_at: ms,
  ok: z.boolean(),
  cancelled: z.boolean(),
  exit_code: z.int().nullable(),
  /** Of the whole output. */
  output_hash: hash,
  output_bytes: z.int().gte(0),
  /** The blob with the output, up to 4 MiB, head and tail beyond; null when it could not be kept. */
  output_key: hash.nullable(),
  /** Files that the tool touched itself. */
  files: z.array(TouchedFile),
  /** After bash: files that changed while it ran and that no other call of this process accounts for; null = unknown. */
  changed_during: z.array(ChangedFile).nullable(),
  /** Why `changed_during` is null after bash; null for every other call. */
  changed_unknown: z.string().nullable(),
  mutation_state: z.enum(["none", "attempted", "unknown"]),
});
export type Receipt = z.infer<typeof Receipt>;

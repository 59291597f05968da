import { z } from "zod";
import type { Confine } from "../confine.ts";

export interface HostOptions {
  readonly confine: Confine;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that are secret whatever their name says. */
  readonly secret_env: readonly string[];
  /** Where the kernel tells of processes; default /proc. */
  readonly proc?: string;
}

export const ListArguments = z.strictObject({ path: z.string().default("."), depth: z.int().min(1).max(4).default(1) });
export const ProcessArguments = z.strictObject({
  filter: z.string().optional(),
  max_results: z.int().min(1).max(500).default(50),
});
export const DiskArguments = z.strictObject({
  path: z.string().default("."),
  max_entries: z.int().min(1).max(200).default(25),
});
export const EnvArguments = z.strictObject({
  keys: z.array(z.string()).max(50).optional(),
  prefix: z.string().optional(),
  reveal: z.boolean().default(false).describe("show values; those of secrets never"),
});
export type ListArguments = z.infer<typeof ListArguments>;
export type ProcessArguments = z.infer<typeof ProcessArguments>;
export type DiskArguments = z.infer<typeof DiskArguments>;
export type EnvArguments = z.infer<typeof EnvArguments>;

/** disk_usage keeps its own time: ten seconds an entry, all of them in this many. */
export const DISK_S = 120;

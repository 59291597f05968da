import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { locate } from "../confine.ts";
import { answering, printable } from "../fault.ts";
import { DISK_S, type DiskArguments, type HostOptions } from "./options.ts";

const ENTRY_MS = 10_000;

interface Sum {
  readonly name: string;
  readonly bytes: number;
  /** What keeps the number from being the whole; null when it is. */
  readonly note: string | null;
}

/** Sums file sizes itself, without following links: `du` differs by system and fails as a whole for one bad entry. */
export function diskUsage(
  { path, max_entries }: DiskArguments,
  context: ToolContext,
  { confine }: HostOptions,
): Promise<ToolOutcome> {
  return answering(path, async () => {
    const { real } = locate(path, context, confine === "all");
    const names = (await lstat(real)).isDirectory() ? await readdir(real) : [""];
    const end = Date.now() + DISK_S * 1000;
    const seen = new Set<string>();
    const sums: Sum[] = [];
    for (const name of names.sort()) {
      const until = Math.min(end, Date.now() + ENTRY_MS);
      sums.push({ name: name || ".", ...(await sumOf(join(real, name), { seen, until, signal: context.signal })) });
    }
    sums.sort((a, b) => b.bytes - a.bytes);
    const lines = sums.slice(0, max_entries).map(({ name, bytes, note }) => {
      return `${bytes}\t${printable(name)}${note === null ? "" : ` [${note}]`}`;
    });
    const rest = sums.length - max_entries;
    if (rest > 0) lines.push(`[${rest} smaller entries]`);
    const total = sums.reduce((sum, { bytes }) => sum + bytes, 0);
    return { ok: true, content: [...lines, `${total}\tTOTAL`].join("\n") };
  });
}

interface Walk {
  /** Files with more than one name, by device and inode: they count once. */
  readonly seen: Set<string>;
  /** Time of day, ms. */
  readonly until: number;
  readonly signal: AbortSignal;
}

async function sumOf(path: string, { seen, until, signal }: Walk): Promise<Omit<Sum, "name">> {
  const open = [path];
  let bytes = 0;
  let failed = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    checkCancelled(signal);
    if (Date.now() > until) return { bytes, note: "at least: time ran out" };
    const stats = await lstat(next).catch(() => null); // counted below
    if (stats === null) failed++;
    else if (!isSeen(stats, seen)) bytes += stats.size;
    if (stats?.isDirectory() !== true) continue;
    const names = await readdir(next).catch(() => null); // counted below
    if (names === null) failed++;
    for (const name of names ?? []) open.push(join(next, name));
  }
  return { bytes, note: failed === 0 ? null : `at least: ${failed} could not be read` };
}

function isSeen(stats: Stats, seen: Set<string>): boolean {
  if (stats.nlink < 2 || stats.isDirectory()) return false;
  const id = `${stats.dev}:${stats.ino}`;
  if (seen.has(id)) return true;
  seen.add(id);
  return false;
}

import type { Dirent } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { locate } from "../confine.ts";
import { answering, printable } from "../fault.ts";
import type { HostOptions, ListArguments } from "./options.ts";

const MAX_ENTRIES = 500;
const SKIPPED = new Set(["node_modules", ".git", "dist", ".lich", ".cursor"]);

export function listDir(
  { path, depth }: ListArguments,
  context: ToolContext,
  { confine }: HostOptions,
): Promise<ToolOutcome> {
  return answering(path, async () => {
    const { real, shown } = locate(path, context, confine === "all");
    const lines: string[] = [];
    let level: readonly string[] = [""];
    for (let at = 1; at <= depth; at++) {
      const below: string[] = [];
      for (const folder of level) {
        checkCancelled(context.signal);
        if (lines.length <= MAX_ENTRIES) below.push(...(await listInto(lines, { real, folder })));
      }
      level = below;
    }
    if (lines.length === 0) return { ok: true, content: `${shown} is empty` };
    const cut = lines.length > MAX_ENTRIES ? [`[cut at ${MAX_ENTRIES} entries; list a folder further down]`] : [];
    return { ok: true, content: [...lines.slice(0, MAX_ENTRIES), ...cut].join("\n") };
  });
}

/** Adds a line for each entry, one more than the cap at most; resolves with the folders among them. */
async function listInto(lines: string[], { real, folder }: { real: string; folder: string }): Promise<string[]> {
  const entries = await entriesOf(join(real, folder), folder === "");
  if (entries === null) lines.push(`[${printable(folder)}/ can't be read]`);
  const folders: string[] = [];
  for (const entry of entries ?? []) {
    if (lines.length > MAX_ENTRIES) break;
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    lines.push(await lineOf(entry, join(real, name), name));
    if (entry.isDirectory()) folders.push(name);
  }
  return folders;
}

/** Folders first, then by name; null where the folder can't be read, save the one that was asked for. */
async function entriesOf(folder: string, isAsked: boolean): Promise<readonly Dirent[] | null> {
  try {
    const all = await readdir(folder, { withFileTypes: true });
    const rank = (entry: Dirent) => (entry.isDirectory() ? 0 : 1);
    return all.filter(({ name }) => !SKIPPED.has(name)).sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (isAsked) throw thrown;
    return null; // told in its line
  }
}

async function lineOf(entry: Dirent, path: string, name: string): Promise<string> {
  if (entry.isDirectory()) return `d ${printable(name)}/`;
  // What went away meanwhile is still listed, without its facts.
  if (entry.isSymbolicLink()) return `l ${printable(name)} -> ${printable(await readlink(path).catch(() => "?"))}`;
  const size = await lstat(path).then(
    (stats) => String(stats.size),
    () => "?",
  ); // as above
  return `- ${printable(name)} (${size} bytes)`;
}

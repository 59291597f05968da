import { constants, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Config } from "@smith/contract/config";
import type { FindProject, Project } from "./project.ts";

/** Where a turn runs; worked out anew for each. */
export interface Scope {
  readonly cwd: string;
  readonly project: Project;
  readonly index: { readonly name: string; readonly text: string } | null;
}

/** Bytes of an index file that go into the prompt. */
const INDEX_MAX_BYTES = 32 * 1024;
const DEFAULT_INDEX = "INDEX.md";
const STAND_INS = ["AGENTS.md", "CLAUDE.md"];

export async function findScope(cwd: string, config: Readonly<Config>, find: FindProject): Promise<Scope> {
  const project = find(cwd);
  return { cwd, project, index: project.root === null ? null : await readIndex(project.root, config.index_file) };
}

/** The index file at the repository's root, or the first stand-in when the default one is absent. */
async function readIndex(root: string, wanted: string): Promise<Scope["index"]> {
  for (const name of wanted === DEFAULT_INDEX ? [wanted, ...STAND_INS] : [wanted]) {
    const text = await readInside(root, name);
    if (text !== null && text.trim() !== "") return { name, text };
  }
  return null;
}

async function readInside(root: string, name: string): Promise<string | null> {
  try {
    const path = realpathSync(join(root, name));
    // A link out of the repository is not followed: a clone must not pull other files into the prompt.
    if (!path.startsWith(realpathSync(root) + sep)) return null;
    // Without waiting: a named pipe in its place would hold the turn for ever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return null;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(INDEX_MAX_BYTES + 1), 0, INDEX_MAX_BYTES + 1, 0);
    // `stream` leaves out the half of a character at the cut; a byte-order mark goes by itself.
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, INDEX_MAX_BYTES)), { stream: true });
    return bytesRead > INDEX_MAX_BYTES ? `${text}\n[${name} is longer than 32 KB; the rest is left out]` : text;
  } catch {
    return null; // absent or unreadable: there is no index
  }
}

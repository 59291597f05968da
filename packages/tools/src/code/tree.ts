import { printable } from "../fault.ts";
import { farnessOf } from "./kinds.ts";

export interface Folder {
  readonly folders: ReadonlyMap<string, Folder>;
  readonly files: readonly string[];
  /** Files in it and below it. */
  readonly count: number;
}

interface Growing {
  folders: Map<string, Growing>;
  files: string[];
  count: number;
}

export function treeOf(paths: readonly string[]): Folder {
  const root: Growing = { folders: new Map(), files: [], count: 0 };
  for (const path of paths) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let at = root;
    at.count++;
    for (const part of parts) {
      const next = at.folders.get(part) ?? { folders: new Map(), files: [], count: 0 };
      at.folders.set(part, next);
      next.count++;
      at = next;
    }
    at.files.push(name);
  }
  return root;
}

/** How much of each folder is drawn. */
interface Detail {
  readonly depth: number;
  readonly folders: number;
  readonly files: number;
}

const WIDTHS = [
  { folders: 60, files: 40 },
  { folders: 40, files: 15 },
  { folders: 30, files: 6 },
  { folders: 20, files: 3 },
  { folders: 15, files: 0 },
];

/** The tree to `depth`, in as much detail as `maxChars` allows: first the folders grow narrower, then the tree flatter. */
export function drawTree(root: Folder, depth: number, maxChars: number): string {
  for (let levels = Math.min(depth, 20); levels >= 1; levels--) {
    for (const width of WIDTHS) {
      const lines: string[] = [];
      draw(root, { ...width, depth: levels }, { lines, indent: "" });
      const text = lines.join("\n");
      if (text.length <= maxChars)
        return levels < depth && isDeeper(root, levels) ? `${text}\n${flatter(levels)}` : text;
    }
  }
  return `${root.count} files, with names too long to draw`;
}

const flatter = (levels: number): string => `[drawn to depth ${levels}: pass path to see more of a folder]`;

const isDeeper = ({ folders }: Folder, levels: number): boolean =>
  levels <= 0 ? folders.size > 0 : [...folders.values()].some((folder) => isDeeper(folder, levels - 1));

interface Pen {
  readonly lines: string[];
  readonly indent: string;
}

function draw(folder: Folder, detail: Detail, { lines, indent }: Pen): void {
  const below = { ...detail, depth: detail.depth - 1 };
  const chosen = [...folder.folders].toSorted(([, a], [, b]) => b.count - a.count).slice(0, detail.folders);
  for (const [name, each] of chosen.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [path, end] = throughLoneFolders(name, each);
    lines.push(`${indent}${printable(path)}/ (${end.count})`);
    if (below.depth > 0) draw(end, below, { lines, indent: `${indent}  ` });
  }
  const hidden = folder.folders.size - chosen.length;
  if (hidden > 0) lines.push(`${indent}… ${hidden} more folders`);
  const likely = folder.files.toSorted((a, b) => farnessOf(a) - farnessOf(b) || (a < b ? -1 : 1));
  const files = likely.slice(0, detail.files).toSorted();
  for (const name of files) lines.push(indent + printable(name));
  const rest = folder.files.length - files.length;
  if (rest > 0) lines.push(`${indent}… ${rest} ${files.length === 0 ? "" : "more "}${rest === 1 ? "file" : "files"}`);
}

/** `src/main/java`: folders that hold nothing but one folder are drawn as one. */
function throughLoneFolders(name: string, folder: Folder): readonly [path: string, end: Folder] {
  let path = name;
  let end = folder;
  for (;;) {
    const [only] = end.folders;
    if (only === undefined || end.folders.size > 1 || end.files.length > 0) return [path, end];
    path += `/${only[0]}`;
    end = only[1];
  }
}

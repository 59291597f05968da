/** One entry of the project's memory, as the index names it. */
export interface MemoryEntry {
  readonly id: string;
  readonly content: string;
}

const LABEL_CHARS = 80;

/** `## Project memory index`: an id and a label a line; empty without entries. */
export function memoryBlock(project_id: string, entries: readonly MemoryEntry[]): string {
  if (entries.length === 0) return "";
  return [
    "## Project memory index",
    `project_id: ${project_id}`,
    ...entries.map((entry) => `- ${entry.id}: ${labelOf(entry)}`),
  ].join("\n");
}

/** The first line with something on it, cut to about 80 characters. */
function labelOf({ content }: MemoryEntry): string {
  const line =
    content
      .split("\n")
      .find((each) => each.trim() !== "")
      ?.trim() ?? "";
  return line.length <= LABEL_CHARS ? line : `${line.slice(0, LABEL_CHARS - 1).toWellFormed()}…`;
}

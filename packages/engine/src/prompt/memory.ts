import { firstLine } from "@smith/contract/message";

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
    ...entries.map((entry) => `- ${entry.id}: ${firstLine(entry.content, LABEL_CHARS)}`),
  ].join("\n");
}

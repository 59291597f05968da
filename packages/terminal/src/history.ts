/** Lines kept. */
export const HISTORY_MAX = 500;

/** Where lines are kept, one project's; the door gives it. A line may hold line ends. */
export interface HistoryPort {
  /** Oldest first. May throw: then the history begins empty. */
  load(): readonly string[] | Promise<readonly string[]>;
  /** May throw: then the line is kept for this session only. */
  append(line: string): void | Promise<void>;
}

export interface History {
  /** Oldest first, at most {@link HISTORY_MAX}. */
  entries(): readonly string[];
  /** Keeps a line, unless it is blank or the last one again. */
  add(line: string): Promise<void>;
}

/** The history with one more line: blank lines and repetitions of the last are left out, and the oldest beyond the cap. */
export function remember(entries: readonly string[], line: string): readonly string[] {
  if (line.trim() === "" || line === entries.at(-1)) return entries;
  return [...entries, line].slice(-HISTORY_MAX);
}

/** Never throws: a history that can't be read or written costs no more than itself. */
export async function openHistory(port: HistoryPort): Promise<History> {
  let entries = await load(port);
  return Object.freeze({
    entries: () => entries,
    async add(line: string) {
      const next = remember(entries, line);
      if (next === entries) return;
      entries = next;
      try {
        await port.append(line);
      } catch {
        // a full disk must not keep anyone from typing; the line is still here
      }
    },
  });
}

async function load(port: HistoryPort): Promise<readonly string[]> {
  try {
    return (await port.load()).reduce<readonly string[]>((kept, line) => remember(kept, line), []);
  } catch {
    return []; // unreadable: begin afresh
  }
}

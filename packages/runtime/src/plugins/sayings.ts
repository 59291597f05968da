/** Lines that are kept, and characters of each: what prints without end must not fill the memory. */
const LINES = 50;
const CHARS = 300;

/** What plugins said where no turn was there to be told. */
export interface Sayings {
  add(line: string): void;
  /** What is new since it was taken last. */
  take(): readonly string[];
}

/** The last lines; one that comes again while it is among them is told once. */
export function createSayings(): Sayings {
  const told = new Map<string, boolean>();
  return Object.freeze({
    add(line: string) {
      const short = line.length > CHARS ? `${line.slice(0, CHARS - 1).toWellFormed()}…` : line;
      if (told.has(short)) return;
      told.set(short, false);
      const [oldest] = told.keys();
      if (told.size > LINES && oldest !== undefined) told.delete(oldest);
    },
    take() {
      const fresh = [...told].flatMap(([line, isTold]) => (isTold ? [] : [line]));
      for (const line of fresh) told.set(line, true);
      return fresh;
    },
  });
}

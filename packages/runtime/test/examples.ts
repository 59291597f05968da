import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An example of the docs: its files, what it prints, and what it prints after each change that the docs name. */
export interface Example {
  readonly section: string;
  readonly files: Readonly<Record<string, string>>;
  readonly prints: string | null;
  readonly changes: readonly {
    readonly file: string;
    readonly from: string;
    readonly to: string;
    readonly prints: string;
  }[];
}

const FILE = /`([\w./-]+\.\w+)`[^\n`]*:\n\n```(?:ts|js|md|json)\n([\s\S]*?)```/g;
const PRINTS = /\nprints\n\n```text\n([\s\S]*?)```/;
const CHANGE = /Change `([^`\n]+)` to `([^`\n]+)`\s+in\s+`([^`\n]+)`, and\s+it\s+prints:\n\n```text\n([\s\S]*?)```/g;

/** The examples of a file in docs/, by section; sections without a named file have none. */
export function examplesOf(doc: string): readonly Example[] {
  const text = readFileSync(join(import.meta.dirname, "../../..", doc), "utf8");
  return text
    .split(/^(?=## )/m)
    .map(
      (section): Example => ({
        section: /^## (.*)$/m.exec(section)?.[1] ?? "",
        files: Object.fromEntries([...section.matchAll(FILE)].map(([, name = "", code = ""]) => [name, code])),
        prints: PRINTS.exec(section)?.[1] ?? null,
        changes: [...section.matchAll(CHANGE)].map(([, from = "", to = "", file = "", prints = ""]) => ({
          ...{ file, from, to, prints },
        })),
      }),
    )
    .filter(({ files }) => Object.keys(files).length > 0);
}

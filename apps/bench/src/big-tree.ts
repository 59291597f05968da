import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PER_FOLDER = 100;
/** Every so many files hold the word that is looked for. */
const NEEDLE_EVERY = 50;

export const NEEDLE = "needle";

export type TreeKind = "text" | "code";

/** So many files below `home`, of text (1 KB each) or of TypeScript (4 KB each); made the first time. */
export function bigTree(home: string, kind: TreeKind, files: number): string {
  const root = join(home, `${kind}-${files}`);
  if (existsSync(root)) return root;
  for (let n = 0; n < files; n++) {
    const folder = join(root, `part${Math.floor(n / PER_FOLDER)}`);
    if (n % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, kind === "text" ? `file${n}.txt` : `thing${n}.ts`), kind === "text" ? text(n) : code(n));
  }
  return root;
}

const text = (n: number): string =>
  `${n % NEEDLE_EVERY === 0 ? `a ${NEEDLE} in ${n}\n` : ""}${`line of file ${n}, like many others\n`.repeat(28)}`;

const code = (n: number): string =>
  `import { other } from "./other.ts";\n${Array.from({ length: 8 }, (_, k) => part(n, k)).join("")}`;

const part = (n: number, k: number): string => `
/** What part ${k} of ${n} is given. */
export interface Options${k} {
  readonly size: number;
  run(name: string): void;
}

export const LIMIT_${k} = ${n};

/** Makes a thing. */
export function makeThing${n}x${k}({ size, run }: Options${k}): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at < Math.min(size, LIMIT_${k}); at++) {
    names.push(\`name-\${at}\`);
    run(names[at] ?? other);
  }
  return names.filter((name) => name.length > ${k});
}
`;

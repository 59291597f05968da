/** Skills of one folder, as the prompt names them: `FOLDER/NAME/SKILL.md` holds the rest. */
export interface SkillFolder {
  readonly folder: string;
  readonly skills: readonly { readonly name: string; readonly description: string }[];
}

/** Characters of the whole block: each request pays for it. */
const MAX_CHARS = 6000;
/** Characters of one description, the first of these with which the block fits; what is cut is in the file. */
const DESCRIPTION_CHARS = [500, 240, 120, 60, 0];

/** `## Skills`: what they are for, and where they are; empty without any. */
export function skillsBlock(folders: readonly SkillFolder[]): string {
  const filled = folders.filter(({ skills }) => skills.length > 0);
  if (filled.length === 0) return "";
  const drawn = DESCRIPTION_CHARS.map((chars) => draw(filled, chars));
  return drawn.find((block) => block.length <= MAX_CHARS) ?? cut(drawn.at(-1) ?? "");
}

const HEAD = [
  "## Skills",
  "Instructions of the user's for particular work. Before work that one fits, read FOLDER/NAME/SKILL.md and follow it.",
];

const draw = (folders: readonly SkillFolder[], chars: number): string =>
  [
    ...HEAD,
    ...folders.flatMap(({ folder, skills }) => [`In ${folder}:`, ...skills.map((each) => line(each, chars))]),
  ].join("\n");

function line({ name, description }: SkillFolder["skills"][number], chars: number): string {
  if (chars === 0) return `- ${name}`;
  const text = description.length <= chars ? description : `${description.slice(0, chars - 1).toWellFormed()}…`;
  return `- ${name}: ${text}`;
}

/** Whole lines, and how many are missing. */
function cut(block: string): string {
  const lines = block.split("\n");
  const missing = (kept: number) => `(${lines.length - kept} more lines; list the folders)`;
  let chars = block.length + missing(0).length + 1;
  let kept = lines.length;
  while (chars > MAX_CHARS) chars -= (lines[--kept]?.length ?? 0) + 1;
  return [...lines.slice(0, kept), missing(kept)].join("\n");
}

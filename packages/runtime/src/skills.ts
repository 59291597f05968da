import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SkillFolder } from "@smith/engine";

/** Folders of skills; null: there is no such place. */
export interface SkillFolders {
  readonly user: string | null;
  /** Comes with a clone: nothing in it may lead out of the repository. */
  readonly project: string | null;
}

export interface Skills {
  /** The project's last. */
  readonly folders: readonly SkillFolder[];
  /** Why a skill is none, a sentence each. */
  readonly warnings: readonly string[];
}

/** As the folders are now. Never rejects. Of two of a name the project's counts. */
export async function findSkills({ user, project }: SkillFolders): Promise<Skills> {
  const [own, ofProject] = await Promise.all([
    readFolder(user, null),
    readFolder(project, project === null ? null : dirname(dirname(project))),
  ]);
  const taken = new Set(ofProject.skills.map(({ name }) => name));
  const rest = { ...own, skills: own.skills.filter(({ name }) => !taken.has(name)) };
  return { folders: [rest, ofProject], warnings: [...own.warnings, ...ofProject.warnings] };
}

type Folder = SkillFolder & Pick<Skills, "warnings">;

async function readFolder(folder: string | null, inside: string | null): Promise<Folder> {
  const found = folder === null ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = found
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();
  if (folder === null || names.length === 0) return { folder: folder ?? "", skills: [], warnings: [] };
  const { readSkill } = await import("./skill-file.ts"); // who has none loads nothing for them
  const read = await Promise.all(names.map((name) => readSkill(join(folder, name), name, inside)));
  return {
    folder,
    skills: read.flatMap((each) => (typeof each === "string" || each === null ? [] : [each])),
    warnings: read.filter((each) => typeof each === "string"),
  };
}

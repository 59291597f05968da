import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { placeOf, readWritten, refusedHead } from "@smith/commands";
import type { SkillFolder } from "@smith/engine";
import { z } from "zod";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Other keys are for other programs. */
const Head = z.looseObject({
  name: z.string().max(64).regex(NAME, "expected at most 64 lower-case letters, digits and single hyphens"),
  description: z.string().trim().min(1).max(1024),
});

/**
 * The skill in a folder; a string is why it is none; null: there is no `SKILL.md`.
 * @param inside where its file has to be, links followed; null: anywhere.
 */
export async function readSkill(
  folder: string,
  named: string,
  inside: string | null,
): Promise<SkillFolder["skills"][number] | string | null> {
  const file = join(folder, "SKILL.md");
  const real = await realpath(file).catch(() => null);
  if (real === null) return null;
  if (inside !== null && !real.startsWith((await realpath(inside)) + sep))
    return `${file} is left out: it leads to ${real}, out of the repository.`;
  const written = await readWritten(file);
  if ("fault" in written) return `${placeOf(file, written.line)} ${written.fault}`;
  const parsed = Head.safeParse(written.head);
  if (!parsed.success) return refusedHead(file, written, parsed.error);
  const { name, description } = parsed.data;
  if (name !== named)
    return `${placeOf(file, written.lineOf(["name"]))} is left out: its name is ${name}, its folder's ${named}; they have to be the same.`;
  if (written.body === "") return `${file} is left out: there are no instructions below its keys.`;
  return { name, description: description.replaceAll(/\s+/g, " ") };
}

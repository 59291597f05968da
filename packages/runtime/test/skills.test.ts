import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { skillsBlock } from "@smith/engine";
import { expect, test } from "vitest";
import { bodyOf, model, type Place, place, systemOf } from "./place.ts";

const skill = (name: string, description = `About ${name}.`, body = `Do ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

const home = (here: Place, path: string, text: string) => {
  const file = join(here.home, "skills", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

const blockIn = (system: string) => /## Skills\n[\s\S]*?(?=\n\n|$)/.exec(system)?.[0] ?? null;

test("skills of home and project are named in the prompt, the project's win, and their text comes when it is read", async () => {
  const here = place();
  here.git("init", "-q");
  home(here, "deploy/SKILL.md", skill("deploy", "How to\n  deploy, step by step."));
  home(here, "review/SKILL.md", skill("review", "Mine."));
  home(here, "notes/readme.txt", "no skill");
  here.file(".smith/skills/review/SKILL.md", skill("review", "The project's.", "Read every line."));
  const file = join(here.cwd, ".smith/skills/review/SKILL.md");
  const llm = await model([{ call: [{ id: "1", name: "read", args: { path: file } }] }, { say: "Done." }]);
  const { notices } = await here.runtime({ config: llm.config }).run("review it");
  const [first = "", second = ""] = llm.requests.map(systemOf);
  expect(blockIn(first)).toBe(
    [
      "## Skills",
      "Instructions of the user's for particular work. Before work that one fits, read FOLDER/NAME/SKILL.md and follow it.",
      `In ${join(here.home, "skills")}:`,
      "- deploy: How to deploy, step by step.",
      `In ${join(here.cwd, ".smith/skills")}:`,
      "- review: The project's.",
    ].join("\n"),
  );
  expect([second, notices]).toEqual([first, []]);
  expect(bodyOf(llm.requests[1]).messages.at(-1)?.content).toContain("Read every line.");
});

test("a skill that is none is left out with a warning that says where and why, once; the others stay", async () => {
  const here = place();
  here.git("init", "-q");
  home(here, "good/SKILL.md", skill("good"));
  home(here, "other/SKILL.md", skill("another"));
  home(here, "Shout/SKILL.md", skill("Shout"));
  home(here, "silent/SKILL.md", "---\nname: silent\n---\nNo description.\n");
  home(here, "empty/SKILL.md", skill("empty", "Nothing below.", ""));
  home(here, "broken/SKILL.md", "---\nname: [\n---\nx\n");
  mkdirSync(join(here.home, "skills", "folder", "SKILL.md"), { recursive: true });
  const outside = join(here.home, "elsewhere.md");
  writeFileSync(outside, skill("leak"));
  mkdirSync(join(here.cwd, ".smith/skills/leak"), { recursive: true });
  symlinkSync(outside, join(here.cwd, ".smith/skills/leak/SKILL.md"));
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const runtime = here.runtime({ config: llm.config });
  const { notices } = await runtime.run("hi");
  expect((await runtime.run("again")).notices).toEqual([]);
  const at = (name: string, line = "") => `${join(here.home, "skills", name, "SKILL.md")}${line}`;
  expect(notices.map(({ text }) => text)).toEqual([
    `${at("Shout", ":2")} is left out: name: expected at most 64 lower-case letters, digits and single hyphens.`,
    `${at("broken", ":2")} is left out: Flow sequence in block collection must be sufficiently indented and end with a ].`,
    `${at("empty")} is left out: there are no instructions below its keys.`,
    `${at("folder")} is no file.`,
    `${at("other", ":2")} is left out: its name is another, its folder's other; they have to be the same.`,
    `${at("silent", ":1")} is left out: description: Invalid input: expected string, received undefined.`,
    `${join(here.cwd, ".smith/skills/leak/SKILL.md")} is left out: it leads to ${outside}, out of the repository.`,
  ]);
  expect(blockIn(systemOf(llm.requests[0]))?.split("\n").slice(2)).toEqual([
    `In ${join(here.home, "skills")}:`,
    "- good: About good.",
  ]);
});

test("where read is confined to the project, or there is none, no skill is named that it could not open", async () => {
  const here = place();
  home(here, "mine/SKILL.md", skill("mine"));
  const llm = await model([{ say: "1" }, { say: "2" }]);
  for (const tool of [{ confine: "all" }, { enabled: ["bash"] }]) {
    await here.runtime({ config: { ...llm.config, services: { tool } } }).run("hi");
  }
  expect(llm.requests.map((request) => blockIn(systemOf(request)))).toEqual([null, null]);
});

test("the block stays within 6,000 characters: descriptions are shortened first, and names are left out last", () => {
  const many = (count: number, chars: number) => [
    {
      folder: "/s",
      skills: Array.from({ length: count }, (_, at) => ({ name: `n${at}`, description: "x".repeat(chars) })),
    },
  ];
  const sizes = [
    [3, 500],
    [20, 1024],
    [60, 1024],
    [300, 1024],
    [2000, 10],
  ].map(([count = 0, chars = 0]) => {
    const block = skillsBlock(many(count, chars));
    return [block.length <= 6000, block.split("\n").filter((line) => line.startsWith("- ")).length];
  });
  expect(sizes.slice(0, 4)).toEqual([
    [true, 3],
    [true, 20],
    [true, 60],
    [true, 300],
  ]);
  expect(sizes[4]?.[0]).toBe(true);
  expect(skillsBlock(many(2000, 10))).toMatch(/\(1\d\d\d more lines; list the folders\)$/);
  expect([skillsBlock([]), skillsBlock([{ folder: "/s", skills: [] }])]).toEqual(["", ""]);
});

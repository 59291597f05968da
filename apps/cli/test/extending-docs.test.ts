import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { model, type Place, place, type WireMessage } from "./scene.ts";

interface Block {
  readonly kind: string;
  readonly about: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order: the language, what stands behind it, and the text. */
function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, kind = "", about = "", body = ""]) => ({
    kind,
    about,
    text: body,
  }));
}

/** Writes the blocks that name a file, into the folder. */
function save(folder: string, blocks: readonly Block[]): void {
  for (const { about, text } of blocks.filter(({ about }) => /\.\w+$/.test(about))) {
    mkdirSync(dirname(join(folder, about)), { recursive: true });
    writeFileSync(join(folder, about), text);
  }
}

const the = (blocks: readonly Block[], kind: string, about: string): string => {
  const found = blocks.find((each) => each.kind === kind && each.about === about);
  if (found === undefined) throw new Error(`the page has no block ${kind} ${about}`);
  return found.text.trimEnd();
};

const messagesIn = (request: { readonly body: unknown } | undefined) =>
  (request?.body as { messages: readonly WireMessage[] } | undefined)?.messages ?? [];

/** What the model is told by a scripted call in an empty project. */
async function ask(here: Place, call: { name: string; args: unknown }) {
  const llm = await model([{ call: [{ id: "1", ...call }] }, { say: "Done." }]);
  const ended = await here.run([
    "-p",
    "go",
    "--set",
    `llm_config.api_url=${llm.url}`,
    "--set",
    "default_model=scripted",
  ]);
  expect([ended.code, ended.stdout]).toEqual([0, "Done.\n"]);
  return {
    ...ended,
    told: messagesIn(llm.requests[1]).at(-1)?.content ?? "",
    system: messagesIn(llm.requests[0])[0]?.content ?? "",
  };
}

test("X5 X8 PL1 PL7 the guard of docs/PLUGINS.md, cut out of the page, does in an empty project what stands beside it", async () => {
  const blocks = blocksOf("PLUGINS.md");
  const here = place({ config: the(blocks, "json", "config") });
  save(here.home, blocks);
  const list = await here.run(["plugins", "list"]);
  expect([list.code, list.stdout, list.stderr]).toEqual([
    0,
    `${the(blocks, "text", "of plugins list").replaceAll("/home/you/.config/smith", here.home)}\n`,
    "",
  ]);
  const { told, stderr } = await ask(here, { name: "bash", args: JSON.parse(the(blocks, "json", "call bash")) });
  const message = the(blocks, "text", "result");
  expect((JSON.parse(told) as { error: unknown }).error).toEqual({
    kind: "policy",
    code: "blocked_by_plugin",
    message,
  });
  expect(stderr).toContain(message);
});

test("X5 X8 PL3 PL6 the tool and the audit of docs/PLUGINS.md run as they stand there", async () => {
  const blocks = blocksOf("PLUGINS.md");
  const here = place({ config: { plugins: ["./words.mjs", "./audit.mjs", "smith:audit", "smith:ask-before-bash"] } });
  save(here.home, blocks);
  writeFileSync(join(here.cwd, "a.txt"), "one two\nthree\n");
  const counted = await ask(here, { name: "count_words", args: { path: "a.txt" } });
  expect(counted.told).toBe("3 words");
  const misfit = await ask(here, { name: "count_words", args: { file: "a.txt" } });
  expect(misfit.told).toContain("bad_arguments");
  const refused = await ask(here, { name: "bash", args: { command: "touch made" } });
  expect(refused.told).toContain("not_confirmed");
  expect(here.read("audit.log")).toBe("direct count_words ok\n");
  const lines = readFileSync(join(here.home, "audit.jsonl"), "utf8").trimEnd().split("\n");
  const kinds = lines.map((line) => (JSON.parse(line) as { what: string }).what);
  expect(kinds).toEqual(["run_start", "tool_call", "run_end", "run_start", "run_end", "run_start", "run_end"]);
});

test("X5 X8 the skill of docs/SKILLS.md, cut out of the page, stands in the prompt as the page says and is read", async () => {
  const blocks = blocksOf("SKILLS.md");
  const here = place({ git: true });
  save(here.cwd, blocks);
  const { system, told } = await ask(here, { name: "read", args: JSON.parse(the(blocks, "json", "call read")) });
  expect(system).toContain(the(blocks, "text", "prompt").replaceAll("$PWD", here.cwd));
  expect(told).toContain("Run `npm test`; stop when it fails.");
});

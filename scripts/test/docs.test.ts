import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = [".", "docs"]
  .flatMap((dir) => readdirSync(join(root, dir)).map((name) => join(dir, name)))
  .filter((path) => path.endsWith(".md"));

/** Text without code, in which a bracket is no link. */
const proseOf = (text: string) => text.replace(/^(`{3,})[\s\S]*?^\1`*$/gm, "").replace(/`[^`\n]*`/g, "`");

/** What a heading is called in a link: lower case, blanks as dashes, other signs left out. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const anchorsOf = (path: string) =>
  [
    ...readFileSync(path, "utf8")
      .replace(/^(`{3,})[\s\S]*?^\1`*$/gm, "")
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, text = ""]) => anchorOf(text.replaceAll("`", "")));

/** Why a link leads nowhere; null when it leads somewhere, or out of the repository. */
function faultOf(link: string, page: string): string | null {
  if (/^(https?|mailto):/.test(link)) return null;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(root, page) : join(root, dirname(page), path);
  if (relative(root, target).startsWith("..")) return `${link} leaves the repository`;
  if (!existsSync(target)) return `${link}: there is no ${relative(root, target)}`;
  return anchor === undefined || anchorsOf(target).includes(anchor) ? null : `${link}: no such heading`;
}

test("X1 X2 X3 X4 X5 every link of the Markdown pages leads to a file and a heading that are there", () => {
  const broken = pages.flatMap((page) =>
    [...proseOf(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      const fault = faultOf(link, page);
      return fault === null ? [] : [`${page}: ${fault}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("X1 from the README links lead to every page", () => {
  const seen = new Set(["README.md"]);
  for (const page of seen) {
    for (const [, path = ""] of proseOf(read(page)).matchAll(/\]\(([^)#\s:]+\.md)[)#]/g)) {
      seen.add(join(dirname(page), path));
    }
  }
  expect(pages.filter((page) => !seen.has(page) && page !== "AGENTS.md")).toEqual([]);
});

test("X6 the README says first of all that bash is not guarded, and where to run it", () => {
  const [, second = ""] = read("README.md").split(/^> \*\*Read this first\.\*\* /m);
  expect(second.split("\n\n")[0]).toMatch(/`bash` is not guarded[\s\S]*container/);
});

const KB = 2 ** 10;
const MB = 2 ** 20;
const S = 1000;

/** What a page says, in which unit, and the constant it has to be: of a source file, by its name. */
const NUMBERS: readonly (readonly [page: string, says: RegExp, unit: number, file: string, constant: string])[] = [
  ["docs/API.md", /falls ([\d,]+) events behind/, 1, "packages/runtime/src/event-feed.ts", "WAITING"],
  ["docs/PERFORMANCE.md", /the bus keeps the last ([\d,]+)\s+events/, 1, "packages/engine/src/events/bus.ts", "KEPT"],
  ["docs/CODE.md", /more than ([\d,]+) characters/, 1, "packages/tools/src/code/outline.ts", "OUTLINE_CHARS"],
  [
    "docs/EXTENDING.md",
    /cut at ([\d,]+) characters/,
    1,
    "packages/engine/src/tools/steps/clamp.ts",
    "DEFAULT_MAX_CHARS",
  ],
  ["docs/FILES.md", /at most ([\d,]+) lines/, 1, "packages/tools/src/page.ts", "PAGE_LINES"],
  ["docs/FILES.md", /lines or ([\d,]+) characters/, 1, "packages/tools/src/page.ts", "PAGE_CHARS"],
  ["docs/FILES.md", /Above ([\d,]+) characters the middle/, 1, "packages/tools/src/collect.ts", "OUTPUT_MAX_CHARS"],
  ["docs/FILES.md", /SIGKILL ([\d,]+) ms later/, 1, "packages/tools/src/kill.ts", "GRACE_MS"],
  ["docs/GATEWAY.md", /finished for up to (\d+) s/, S, "packages/gateway/src/gateway.ts", "DRAIN_MS"],
  ["docs/GATEWAY.md", /more than (\d+) MB/, MB, "packages/gateway/src/webhook.ts", "BODY_BYTES"],
  ["docs/MCP.md", /than ([\d,]+) characters even without descriptions/, 1, "packages/mcp/src/schema.ts", "MAX_CHARS"],
  ["docs/MEMORY.md", /\b(\d+) MB, without what still stood/, MB, "packages/store/src/read-only.ts", "MAX_BYTES"],
  ["docs/MODELS.md", /at most ([\d,]+) tokens \(less/, 1, "packages/llm/src/anthropic/thinking.ts", "MAX_TOKENS"],
  ["docs/MODELS.md", /less \(from ([\d,]+) on\)/, 1, "packages/llm/src/anthropic/thinking.ts", "LEAST_BUDGET"],
  ["docs/MODELS.md", /context window is ([\d,]+) tokens where/, 1, "packages/runtime/src/models.ts", "CONTEXT_WINDOW"],
  ["docs/MODELS.md", /an event of at most (\d+) MB/, MB, "packages/llm/src/answer.ts", "MAX_EVENT"],
  ["docs/MODELS.md", /an answer of at most (\d+) MB/, MB, "packages/llm/src/http.ts", "MAX_BODY"],
  ["docs/MODELS.md", /beyond (\d+) s nobody waits/, S, "packages/llm/src/router.ts", "LONGEST_WAIT_MS"],
  [
    "docs/MODELS.md",
    /the stall time without data, (\d+) s by/,
    1 / 3,
    "packages/llm/src/adapter.ts",
    "STREAM_STALL_TIMEOUT_S",
  ],
  ["docs/SHELL.md", /Above (\d+) KB a message/, KB, "packages/terminal/src/markdown.ts", "MARKDOWN_MAX"],
  ["docs/WEB.md", /([\d,]+) characters are shown/, 1, "packages/tools/src/collect.ts", "OUTPUT_MAX_CHARS"],
  ["docs/WEB.md", /Pages above (\d+) million characters/, 1e6, "packages/tools/src/web/html.ts", "MAX_CHARS"],
  ["docs/WEB.md", /characters, ([\d,]+) tags/, 1, "packages/tools/src/web/html.ts", "MAX_TAGS"],
];

/** The value of `const NAME = 4 * 2 ** 20;`. */
function constantOf(file: string, name: string): number | null {
  const expression = new RegExp(`^(?:export )?const ${name} = ([\\d_ *+()<]+);`, "m").exec(read(file))?.[1];
  return expression === undefined ? null : Number(new Function(`return ${expression}`)());
}

test.each(NUMBERS)("X2 X3 a number of %s is the code's: %s", (page, says, unit, file, name) => {
  const told = says.exec(read(page).replaceAll("\n", " "))?.[1];
  expect(told, `${page} says nothing like ${says}`).toBeDefined();
  expect([page, Number(told?.replaceAll(",", "")) * unit]).toEqual([page, constantOf(file, name)]);
});

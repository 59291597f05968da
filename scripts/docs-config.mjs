// Writes docs/CONFIG.md: every configuration leaf, from the schema.
// usage: node scripts/docs-config.mjs [--check]   --check writes nothing and exits 1 when the file is not current
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fromSource } from "./from-source.mjs";

const root = resolve(import.meta.dirname, "..");
const target = join(root, "docs", "CONFIG.md");

const head = `# Configuration

<!-- Made by scripts/docs-config.mjs from packages/contract/src/config.ts: change that, then run the script. -->

Settings come in layers, a higher one over a lower one, leaf by leaf:

1. defaults (this table; a one-shot sets \`max_rounds\` to 100, the gateway to 25)
2. your own file: \`~/.config/smith/config.json\`, or the one that \`--config\` names
3. the project's file: \`.smith/config.json\` at the root of the repository
4. what \`/config set\` or \`smith config set\` saved
5. flags of this run; \`--set PATH=VALUE\` takes any path, \`--set PATH=null\` unsets it

Objects merge key by key; lists and values replace. Files are JSON; comments and trailing commas are fine. A key that is not
in the table, or a value that does not fit, is an error that names file, line and column. \`smith config explain PATH\` shows
the value in each layer and which one wins.

**set**: \`/config set\` takes it, from the next turn on. **project**: a project's file may set it; any other key there is
ignored with a warning, unless your own file lists the repository under \`trusted_projects\`. Times are seconds, milliseconds
where a name says \`_ms\`.

`;

/** The leaves as the runtime reads them off the schema, whatever was built or not. */
async function readLeaves() {
  const module = await fromSource("runtime", 'export { leaves } from "./config/leaves.ts"; export { z } from "zod";');
  return module.leaves().map((leaf) => ({ ...leaf, json: module.z.toJSONSchema(leaf.schema, { io: "input" }) }));
}

/** A JSON schema in a few words: `integer > 0`, `full, ask or plan`. */
function words(json) {
  if (json.anyOf !== undefined) return listed(json.anyOf.map(words), "or");
  if (json.const !== undefined) return code(json.const);
  if (json.enum !== undefined) return listed(json.enum.map(code), "or");
  if (json.type === "array") return `list of ${words(json.items)}${json.minItems > 0 ? ", not empty" : ""}`;
  if (json.type === "string") return json.minLength > 0 ? "non-empty text" : "text";
  if (json.type === "object") return object(json);
  if (json.type === "boolean") return "true or false";
  return number(json);
}

function object(json) {
  if (json.properties === undefined) return `map of ${words(json.additionalProperties)}`;
  const required = new Set(json.required ?? []);
  return code(
    `{ ${Object.keys(json.properties)
      .map((key) => (required.has(key) ? key : `${key}?`))
      .join(", ")} }`,
  );
}

function number(json) {
  const bounds = [
    [json.exclusiveMinimum, ">"],
    [json.minimum, ">="],
    [json.exclusiveMaximum, "<"],
    [json.maximum, "<="],
  ];
  const told = bounds.filter(([bound]) => bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER);
  return [
    json.type,
    listed(
      told.map(([bound, sign]) => `${sign} ${bound}`),
      "and",
    ),
  ]
    .join(" ")
    .trim();
}

const code = (value) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
const listed = (parts, last) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${last} ${parts.at(-1)}`;

/** What a text is refused for beyond its type, in the words of the check itself. */
function typeOf({ json, schema }) {
  const refused = json.type === "string" ? schema.safeParse("/..").error?.issues[0] : undefined;
  return refused?.code === "custom" ? refused.message.replace(/^expected /, "") : words(json);
}

const yes = (flag) => (flag ? "✓" : "");
const cell = (text) => text.replaceAll("|", "\\|");
const row = (leaf) => {
  const fallback = leaf.json.default === undefined ? "" : `\`${JSON.stringify(leaf.json.default)}\``;
  const cells = [code(leaf.path), typeOf(leaf), fallback, yes(leaf.overridable), yes(leaf.project), leaf.description];
  return `| ${cells.map(cell).join(" | ")} |`;
};

const leaves = await readLeaves();
const table = [
  "| path | type | default | set | project | what it does |",
  "|---|---|---|:-:|:-:|---|",
  ...leaves.map(row),
];
const text = `${head}${table.join("\n")}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write("docs/CONFIG.md is not what the schema says. Run: node scripts/docs-config.mjs\n");
  process.exitCode = 1;
}

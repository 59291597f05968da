// Writes docs/FEATURES.md: which rows of the design are proven, by the titles of the tests that passed. A title begins
// with the ids of the rows that it proves. usage: node scripts/features.mjs [--check]   after npm test (and test:long)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readReport, reportFile, root } from "./tally.mjs";

const areas = {
  T: "Turn engine",
  E: "Cancel, errors, events",
  TL: "Tools",
  P: "Roles and policy",
  L: "Models and providers",
  PR: "Prompt",
  W: "Window",
  D: "Dispatch",
  PS: "Persistence",
  S: "Sessions and transcripts",
  C: "Configuration",
  K: "Command line",
  U: "Terminal and commands",
  R: "Runtime and services",
  A: "Library API",
  PL: "Plugins and hooks",
  G: "Chat gateway",
  X: "Docs and tests",
  B: "Reports of others' users, kept from coming back",
  N: "Contradictions inside a source, decided",
  Q: "Contradictions between sources, decided",
};
const target = join(root, "docs", "FEATURES.md");
const areaOf = (id) => id.replace(/\d+$/, "");

/** `["TL22", "TL24"]` of `TL22 TL24 edit replaces a range`; a colon may stand behind the last of them. */
function idsOf(title) {
  const [, head = ""] = /^((?:[A-Z]{1,2}\d+[\s,]+)*[A-Z]{1,2}\d+):?(?:\s|$)/.exec(title) ?? [];
  const ids = head.split(/[\s,]+/);
  const end = ids.findIndex((id) => !Object.hasOwn(areas, areaOf(id)));
  return end === -1 ? ids : ids.slice(0, end);
}

/** Row id → the tests that prove it, each as `{ sentence, file }`, once and in order. */
export function provenRows(tests) {
  const rows = new Map();
  for (const { title, file, status } of tests) {
    if (status !== "passed") continue;
    const ids = idsOf(title);
    const sentence = title.split(/\s+/).slice(ids.length).join(" ");
    for (const id of ids) rows.set(id, [...(rows.get(id) ?? []), { sentence, file }]);
  }
  return rows;
}

function render(rows) {
  const sections = Object.entries(areas).flatMap(([area, name]) => {
    const ids = [...rows.keys()].filter((id) => areaOf(id) === area).sort(byNumber);
    if (ids.length === 0) return [];
    return [`## ${name} (${area})`, "", ...ids.flatMap((id) => renderRow(id, rows.get(id))), ""];
  });
  const head = [
    "# Features",
    "",
    "Each line is a test that passed, under the id of the row that it proves. Made by `npm run features`; not edited by hand.",
    "",
  ];
  return `${[...head, ...sections].join("\n").trimEnd()}\n`;
}

function renderRow(id, proofs) {
  const lines = proofs.map(({ sentence, file }) => `- **${id}** ${sentence} (\`${file}\`)`);
  return [...new Set(lines)].sort();
}

const byNumber = (a, b) => Number(a.replace(/\D/g, "")) - Number(b.replace(/\D/g, ""));

function main() {
  const tests = [...readReport("unit"), ...readReport("long")];
  if (tests.length === 0) return fail("No test report is there. Run npm test first.");
  if (!existsSync(reportFile("long"))) console.error("note: no report of the long tests; npm run test:long makes one");
  const rows = provenRows(tests);
  const text = render(rows);
  if (process.argv.includes("--check")) {
    const current = existsSync(target) ? readFileSync(target, "utf8") : "";
    return current === text ? undefined : fail("docs/FEATURES.md is out of date. Run npm run features and commit it.");
  }
  writeFileSync(target, text);
  console.log(`${rows.size} rows proven: docs/FEATURES.md`);
}

function fail(line) {
  console.error(line);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

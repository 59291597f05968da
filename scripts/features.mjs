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

/**
 * The ids at the head of a title, and what it says: `TL22` and `fault 9 edit replaces a range` of `fault 9 TL22: edit …`.
 * The numbers of faults and the promises P1 to P7 stand among the ids and prove no row.
 */
function readTitle(title) {
  const words = title.split(/\s+/).map((word) => ({ word, bare: word.replace(/[:,]$/, "") }));
  const end = words.findIndex(({ bare }) => !/^([A-Z]{1,2}\d+|faults?|promises?|\d+)$/.test(bare));
  const head = words.slice(0, end === -1 ? words.length : end);
  let isPromise = false;
  const isRow = head.map(({ bare }) => {
    if (!/\d/.test(bare)) isPromise = bare.startsWith("promise");
    else if (!/^P\d$/.test(bare)) isPromise = false;
    return !isPromise && Object.hasOwn(areas, areaOf(bare)) && /\d/.test(bare);
  });
  return {
    ids: head.flatMap(({ bare }, at) => (isRow[at] ? [bare] : [])),
    sentence: words.flatMap(({ word }, at) => (isRow[at] ? [] : [word])).join(" "),
  };
}

/** Row id → the tests that prove it, each as `{ sentence, file }`, once and in order. */
export function provenRows(tests) {
  const rows = new Map();
  for (const { title, file, status } of tests) {
    if (status !== "passed") continue;
    const { ids, sentence } = readTitle(title);
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

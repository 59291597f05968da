// The layer law: a package imports only packages of a lower number; siblings never see each other.
// usage: node scripts/check-layers.mjs [ROOT]   exit 1 when the law is broken, one line with the mend for each breach
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const layers = {
  "packages/contract": 0,
  "packages/testkit": 0.5,
  "packages/engine": 1,
  "packages/llm": 1,
  "packages/tools": 1,
  "packages/store": 1,
  "packages/terminal": 1,
  "packages/commands": 1,
  "packages/mcp": 1,
  "packages/runtime": 2,
  "packages/gateway": 2.5,
  "apps/cli": 3,
  "apps/gateway": 3,
  "apps/bench": 3,
};
const label = (layer) => (layer === 0.5 ? "½" : layer === 2.5 ? "2½" : String(layer));

/** What a package may use from outside the workspace, where that is a law. */
const outside = { "packages/contract": ["zod"] };
/** Node's modules that would make the thought depend on a machine. */
const machine = ["fs", "http", "https", "http2", "net", "tls", "dgram", "child_process"];
const mayImportTestkit = ["apps/bench"];
const mayHaveIndex = ["packages/testkit/src/suites/index.ts"];
const vagueName = /^(utils?|helpers?|common)$/;

export function checkLayers(root) {
  const all = readWorkspace(root);
  const breaches = all.flatMap((each) => [
    ...checkPlace(each),
    ...checkManifest(each, all),
    ...each.files.flatMap((file) => [...checkName(file, each), ...checkImports(file, each, all)]),
  ]);
  return { breaches, note: lonelyExports(all) };
}

function readWorkspace(root) {
  const dirs = ["packages", "apps"].flatMap((group) =>
    existsSync(join(root, group)) ? readdirSync(join(root, group)).map((name) => `${group}/${name}`) : [],
  );
  return dirs
    .filter((dir) => existsSync(join(root, dir, "package.json")))
    .sort()
    .map((dir) => ({
      dir,
      manifest: JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8")),
      layer: layers[dir],
      files: sourcesBelow(join(root, dir, "src")).map((path) => readSource(root, path)),
    }));
}

function sourcesBelow(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return sourcesBelow(path);
      return /\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
    });
}

function readSource(root, path) {
  const text = readFileSync(path, "utf8");
  return { path: relative(root, path).split(sep).join("/"), text, imports: importsOf(text) };
}

const importForms = [
  /^[ \t]*(?:import|export)\b([^"'`;]*?)\bfrom\s*["']([^"']+)["']/gm, // also `import type`, also over many lines
  /^[ \t]*import(\s*)["']([^"']+)["']/gm,
  /\b(?:import|require)(\s*)\(\s*["'`]([^"'`]+)["'`]/g, // dynamic, and `import("x").Type`
];

function importsOf(text) {
  return importForms
    .flatMap((form) => [...text.matchAll(form)])
    .map((match) => ({
      names: match[1],
      specifier: match[2],
      line: text.slice(0, match.index + match[0].length).split("\n").length,
    }));
}

function checkPlace({ dir, layer, manifest }) {
  if (layer !== undefined) return [];
  return [
    `${dir}: ${manifest.name} has no layer: give it one in scripts/check-layers.mjs and in the map of docs/ARCHITECTURE.md`,
  ];
}

/** Tests may use the testkit and what is below their package; so devDependencies obey the same law. */
function checkManifest(from, all) {
  const { manifest, dir } = from;
  const where = `${dir}/package.json`;
  const runtime = Object.keys(manifest.dependencies ?? {});
  const development = Object.keys(manifest.devDependencies ?? {}).filter((name) => name !== "@smith/testkit");
  const workspace = [...runtime, ...development].flatMap((name) => refusal(from, name, all) ?? []);
  const allowed = outside[dir];
  const foreign = allowed === undefined ? [] : runtime.filter((name) => !isOurs(name) && !allowed.includes(name));
  return [
    ...workspace.map((text) => `${where}: ${text}`),
    ...foreign.map(
      (name) =>
        `${where}: ${manifest.name} may depend on ${allowed.join(", ")} only, not on ${name}: it holds schemas, types and ports, no behaviour`,
    ),
  ];
}

const isOurs = (name) => name.startsWith("@smith/");

/** Why `from` may not import the package called `name`; undefined when it may, or when it is none of ours. */
function refusal(from, name, all) {
  const to = all.find((each) => each.manifest.name === name);
  if (to === undefined || to === from || from.layer === undefined || to.layer === undefined) return undefined;
  const said = `${from.manifest.name} (layer ${label(from.layer)}) may not import ${name} (layer ${label(to.layer)})`;
  if (to.dir === "packages/testkit") {
    return mayImportTestkit.includes(from.dir) ? undefined : `${said}: it is for tests; keep it in devDependencies`;
  }
  if (to.layer < from.layer) return undefined;
  if (from.layer === 0.5) return `${said}: what needs more than the contract lives in packages/runtime/test`;
  if (from.layer === 0) return `${said}: move the shape that both need into @smith/contract`;
  if (to.layer === 3) return `${said}: an app is a door, nobody imports it; move what is shared into a package below`;
  if (from.layer === 1 && to.layer === 1) {
    return `${said}: declare a port in @smith/contract and let runtime join them`;
  }
  return `${said}: take what you need as an argument, typed by a port in @smith/contract`;
}

function checkName({ path }, { dir }) {
  const steps = path.slice(`${dir}/src/`.length).split("/");
  const vague = steps.map((step) => step.replace(/\..*$/, "")).find((step) => vagueName.test(step));
  const said = [];
  if (vague !== undefined) said.push(`${path}: "${vague}" says nothing: name it after what it holds`);
  const isInner = basename(path) === "index.ts" && steps.length > 1 && !mayHaveIndex.includes(path);
  if (isInner) said.push(`${path}: one index.ts per package, at src/index.ts: import the file itself`);
  return said;
}

function checkImports(file, from, all) {
  return file.imports.flatMap(({ specifier, line }) => {
    const text = importRefusal(specifier, file, from, all);
    return text === undefined ? [] : [`${file.path}:${line}: ${text}`];
  });
}

function importRefusal(specifier, file, from, all) {
  if (specifier.startsWith(".")) {
    const target = relative(from.dir, join(dirname(file.path), specifier));
    if (!target.startsWith("..")) return undefined;
    return `${specifier} leaves ${from.dir}: import the package by its name`;
  }
  const bare = specifier.replace(/^node:/, "");
  if (specifier !== bare || builtinModules.includes(bare)) return builtinRefusal(bare, from);
  return refusal(from, specifier.split("/").slice(0, 2).join("/"), all);
}

function builtinRefusal(bare, { dir, manifest }) {
  const said = `${manifest.name} may not import node:${bare}`;
  if (dir === "packages/contract") return `${said}: the language does no I/O; take the value as an argument`;
  if (dir !== "packages/engine" || !machine.includes(bare.split("/")[0])) return undefined;
  return `${said}: the thought touches no machine; ask through a port (Tool, Store, ChatModel)`;
}

/** A shape enters the contract when a second package needs it: what fewer than two import may belong elsewhere. */
function lonelyExports(all) {
  const contract = all.find((each) => each.dir === "packages/contract");
  const rows = (contract?.files ?? []).flatMap(({ path, text }) => {
    const module = `@smith/contract/${basename(path, ".ts")}`;
    const lonely = exportsOf(text).filter((name) => countImporters(all, module, name) < 2);
    return lonely.length === 0 ? [] : [`${basename(path)}: ${lonely.join(" ")}`];
  });
  if (rows.length === 0) return "";
  return `note: exports of @smith/contract that fewer than two packages import:\n  ${rows.join("\n  ")}`;
}

const exportsOf = (text) => [
  ...new Set([...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)].map((m) => m[1])),
];

const countImporters = (all, module, name) =>
  all.filter(({ files }) => files.some(({ imports }) => imports.some((each) => isImporting(each, module, name))))
    .length;

const isImporting = ({ names, specifier }, module, name) =>
  specifier === module && new RegExp(`\\*|\\b${name}\\b`).test(names);

function main() {
  const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
  const { breaches, note } = checkLayers(root);
  for (const line of breaches) console.error(line);
  if (note !== "") console.log(note);
  if (breaches.length > 0) process.exitCode = 1;
}

main();

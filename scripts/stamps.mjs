// Tells cheaply whether an install or a build is still good: a stamp is a hash of all that goes into it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Where stamps, the lock and test reports live, below the clone's root. Package managers leave it alone. */
export const stateDir = (root) => join(root, "node_modules", ".smith");

const bundles = ["apps/cli/dist/smith.js"];
/** What makes them, in `scripts`. */
const bundler = ["bundle.mjs", "code-cache.mjs", "code-cache-hook.mjs", "chunk-loader.mjs"];

/** The workspace's packages as paths below `root`, the root itself (`""`) first. */
function workspaceDirs(root) {
  const below = (group) => (existsSync(join(root, group)) ? readdirSync(join(root, group)) : []);
  const dirs = ["packages", "apps"].flatMap((group) => below(group).map((name) => join(group, name)));
  return ["", ...dirs.filter((dir) => existsSync(join(root, dir, "package.json"))).sort()];
}

/** Lock file, manifests and the Node ABI: native code built for another Node would not load. */
export function installStamp(root) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  const manifests = workspaceDirs(root).map((dir) => join(dir, "package.json"));
  for (const name of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) {
    hash.update(`\n${name}\n`).update(readFileSync(join(root, name)));
  }
  return hash.digest("hex");
}

/** Path, size and time of every source that a bundle is made of; contents are not read. */
export function buildStamp(root) {
  const hash = createHash("sha256").update(installStamp(root));
  const add = (name) => {
    const { size, mtimeMs } = statSync(join(root, name));
    hash.update(`\n${name} ${size} ${mtimeMs}`);
  };
  for (const name of ["turbo.json", "tsconfig.base.json", ...bundler.map((file) => `scripts/${file}`)]) add(name);
  for (const dir of workspaceDirs(root).slice(1)) {
    if (existsSync(join(root, dir, "build.mjs"))) add(join(dir, "build.mjs"));
    for (const name of filesBelow(root, join(dir, "src"))) add(name);
  }
  return hash.digest("hex");
}

function filesBelow(root, dir) {
  if (!existsSync(join(root, dir))) return [];
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

export const isInstalled = (root) =>
  readStamp(root, "install") === installStamp(root) && workspaceDirs(root).every((dir) => hasModules(root, dir));

export const isBuilt = (root) =>
  bundles.every((file) => existsSync(join(root, file))) && readStamp(root, "build") === buildStamp(root);

/** A package that depends on something has a node_modules; `git clean` may have taken it away. */
function hasModules(root, dir) {
  const manifest = JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8"));
  const wanted = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return wanted.length === 0 || existsSync(join(root, dir, "node_modules"));
}

const readStamp = (root, name) => {
  const file = join(stateDir(root), `${name}.stamp`);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

export function writeStamp(root, name, value) {
  mkdirSync(stateDir(root), { recursive: true });
  writeFileSync(join(stateDir(root), `${name}.stamp`), value);
}

export const dropStamp = (root, name) => rmSync(join(stateDir(root), `${name}.stamp`), { force: true });

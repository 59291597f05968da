// Packs what users install: @smith/runtime with all it needs, @smith/testkit, and @smith/cli, which is bundled.
// usage: node scripts/pack.mjs DIR   writes one tarball a package into DIR and prints their paths
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

const root = resolve(import.meta.dirname, "..");
const offered = ["@smith/runtime", "@smith/testkit", "@smith/cli"];
/** The condition under which this workspace reads its own sources; outside there are none. */
const sourceCondition = "@smith/source";

const node = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });

function readPackages() {
  const dirs = ["packages", "apps"].flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)));
  const read = (dir) => JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8"));
  return new Map(dirs.map((dir) => [read(dir).name, { dir, manifest: read(dir) }]));
}

/** The offered packages and those of ours below them. */
function closure(packages) {
  const wanted = new Set(offered);
  for (const name of wanted) {
    const { dependencies = {} } = packages.get(name).manifest;
    for (const below of Object.keys(dependencies)) if (packages.has(below)) wanted.add(below);
  }
  return [...wanted].sort();
}

/** As it stands in the tarball: nothing of the workspace is left in it. */
function publicManifest({ private: _private, scripts: _scripts, devDependencies: _dev, ...manifest }, packages) {
  const versions = Object.entries(manifest.dependencies ?? {}).map(([name, version]) => [
    name,
    version.startsWith("workspace:") ? packages.get(name).manifest.version : version,
  ]);
  return {
    ...manifest,
    ...(manifest.exports === undefined ? {} : { exports: withoutSources(manifest.exports) }),
    ...(versions.length === 0 ? {} : { dependencies: Object.fromEntries(versions) }),
  };
}

const withoutSources = (exports) =>
  Object.fromEntries(
    Object.entries(exports).map(([path, { [sourceCondition]: _source, ...conditions }]) => [path, conditions]),
  );

function stage(name, packages, into) {
  const { dir, manifest } = packages.get(name);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), `${JSON.stringify(publicManifest(manifest, packages), null, 2)}\n`);
  if (name === "@smith/cli") {
    symlinkSync(join(root, dir, "node_modules"), join(into, "node_modules")); // to be run once, for its code cache
    return node(join(root, dir, "build.mjs"), join(into, "dist"));
  }
  for (const source of sourcesBelow(join(root, dir, "src"))) {
    const stem = source.replace(/\.ts$/, "");
    if (stem.endsWith(".d")) continue;
    for (const [ending, change] of [
      [".js", (text) => text],
      [".d.ts", pointToJs],
    ]) {
      const text = readFileSync(join(root, dir, "dist", stem + ending), "utf8");
      const target = join(into, "dist", stem + ending);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, change(text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n")));
    }
  }
}

const sourcesBelow = (dir) => readdirSync(dir, { recursive: true }).filter((path) => path.endsWith(".ts"));

/** The compiler leaves the sources' own endings in declarations; what is beside them there is JavaScript. */
const pointToJs = (text) => text.replace(/(["'])(\.{1,2}\/[^"'\n]+)\.ts\1/g, "$1$2.js$1");

function pack(target) {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b"], {
    cwd: root,
    stdio: "inherit",
  });
  const packages = readPackages();
  const work = mkdtempSync(join(tmpdir(), "smith-pack-"));
  try {
    const names = closure(packages);
    const dirs = names.map((name) => join(work, name));
    for (const [at, name] of names.entries()) stage(name, packages, dirs[at]);
    mkdirSync(target, { recursive: true });
    const out = execFileSync("npm", ["pack", "--json", "--pack-destination", target, ...dirs], { cwd: work });
    return filenames(JSON.parse(out)).map((name) => join(target, name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** npm 12 answers with an object by name, the ones before with a list. */
const filenames = (answer) => Object.values(answer).map(({ filename }) => filename);

const [target] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("usage: node scripts/pack.mjs DIR\n");
  process.exitCode = 2;
} else {
  process.stdout.write(`${pack(resolve(target)).join("\n")}\n`);
}

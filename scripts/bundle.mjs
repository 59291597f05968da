// Bundles an app into `dist`: one executable file and the chunks that it loads when they are needed.
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { chunkAsScript, entryWithLoader, makeCodeCache } from "./code-cache.mjs";

const shebang = "#!/usr/bin/env node\n";
/** CommonJS inside the bundle asks for Node's modules with `require`, which an ES module does not have. */
const requireShim =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);\n';
/** A program that runs meanwhile may still load a chunk of the build before: such chunks are kept for a day. */
const keepMs = 24 * 60 * 60 * 1000;

/** zod brings its messages in fifty languages, half of its size and a quarter of its load time; English is ours. */
const oneLanguage = {
  name: "one-language",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    })),
};

/**
 * The MCP SDK's own copy of a parser that the models' adapters load, too: shared, it would be a file of its own to read at
 * every start, for the sake of a package that most starts never load.
 */
const ownParser = {
  name: "own-parser",
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^(eventsource-parser|\.\/index\.js$)/ }, async ({ path, pluginData, ...from }) => {
      const of =
        path === "./index.js"
          ? /eventsource-parser[\\/]dist[\\/]stream\.js$/
          : /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/;
      if (pluginData === "own-parser" || !of.test(from.importer)) return undefined;
      return { ...(await resolve(path, { ...from, pluginData: "own-parser" })), suffix: "?mcp" };
    }),
};

/**
 * @param {{ dir: string, name: string, external?: string[], codeCache?: boolean, dist?: string }} app
 * `dir` holds `src/main.ts`; out comes `<name>.js` in `dist`, which is that of `dir` unless told. With `codeCache` it starts
 * from code that is compiled already.
 */
export async function bundle({ dir, name, external = [], codeCache = false, dist = join(dir, "dist") }) {
  const { version } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  const outputFiles = await compile(dir, name, external, version);
  const entry = `${name}.js`;
  const files = outputFiles.map((file) => ({ name: basename(file.path), text: file.text }));
  mkdirSync(dist, { recursive: true });
  for (const { name: chunk, text } of files.filter((each) => each.name !== entry)) {
    put(dist, chunk, codeCache ? await chunkAsScript(text) : withShim(text));
  }
  // The entry last: until then the old one stands, with its own chunks.
  const main = files.find((each) => each.name === entry).text.replace(/^#!.*\n/, "");
  put(dist, entry, shebang + (codeCache ? await entryWithLoader(main) : withShim(main)), 0o755);
  const trouble = codeCache ? await makeCodeCache(dist, entry) : undefined;
  if (trouble !== undefined) process.stderr.write(`no code cache was made, so ${name} starts slower: ${trouble}\n`);
  dropOld(dist, new Set([...files.map((file) => file.name), "code.cache"]));
}

async function compile(dir, name, external, version) {
  try {
    const result = await build({
      absWorkingDir: dir,
      entryPoints: { [name]: "src/main.ts" },
      outdir: "dist",
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["@smith/source"],
      // The "module" of a package first: the other form of jsonc-parser asks for its parts in a way no bundler follows.
      mainFields: ["module", "main"],
      external,
      chunkNames: "chunk-[hash]",
      plugins: [oneLanguage, ownParser],
      // Names stay: they cost a millisecond and make a stack trace readable.
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: "eof",
      define: { __SMITH_VERSION__: JSON.stringify(version) },
      logLevel: "warning",
    });
    return result.outputFiles;
  } catch {
    process.exit(1); // esbuild has said where and why
  }
}

const withShim = (text) => (text.includes("Dynamic require of") ? requireShim + text : text);

/** Whole or not at all, for whoever reads it at this moment. */
function put(dist, name, text, mode = 0o644) {
  const temporary = join(dist, `.${name}.${process.pid}`);
  writeFileSync(temporary, text);
  chmodSync(temporary, mode);
  renameSync(temporary, join(dist, name));
}

function dropOld(dist, current) {
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs > keepMs) rmSync(path, { recursive: true });
  }
}

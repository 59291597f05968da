// Stands at the head of a bundle's entry (put there by code-cache.mjs), in place of Node's loader of ES modules for the
// bundle's own chunks. Node 20 can't start an ES module from code that V8 has compiled before; a script it can, and
// compiling is a third of the time until the first request. A chunk that the cache does not fit (another Node, other
// flags, no cache) is compiled as ever. `__chunk` is what the entry calls where it had `import("./chunk-….js")`.
const builtin = process.getBuiltinModule;
const { closeSync, openSync, readFileSync, readSync } = builtin("node:fs");
const { Script } = builtin("node:vm");
const here = import.meta.dirname;
const outside = builtin("node:module").createRequire(import.meta.url);
const chunks = new Map();
let cached;

/** Runs a chunk once and returns what it exports. */
function __chunk(name) {
  const known = chunks.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  chunks.set(name, module);
  const filename = `${here}${name.slice(1)}`;
  const source = `(function(exports,require,module,__chunk,__import,__url,__dirname){${readFileSync(filename, "utf8")}\n})`;
  cached ??= readCache();
  const script = new Script(source, { filename, cachedData: cached(name) });
  const require = (id) => (id.startsWith("./chunk-") ? __chunk(id) : outside(id));
  const url = builtin("node:url").pathToFileURL(filename).href;
  const load = async (id) => (id.startsWith("./chunk-") ? __chunk(id) : import(id));
  script.runInThisContext()(module.exports, require, module, __chunk, load, url, here);
  return module.exports;
}

/** The cache file: the length of its index (4 bytes), the index as JSON (name → offset, length), the pieces. */
function readCache() {
  const file = `${here}/code.cache`;
  let end = 4;
  const index = orNothing(() => {
    end += bytesAt(file, 0, 4).readUInt32LE(0);
    return JSON.parse(bytesAt(file, 4, end - 4).toString("utf8"));
  });
  return (name) => index?.[name] && orNothing(() => bytesAt(file, end + index[name][0], index[name][1]));
}

/** Without the cache, or with one that is damaged, all is compiled: nothing to tell. */
function orNothing(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function bytesAt(file, position, length) {
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(length);
    // A piece that is cut off is none: V8 takes what it is given for whole, and ends the process where it is not.
    if (readSync(fd, bytes, 0, length, position) < length) throw new Error("cut off");
    return bytes;
  } finally {
    closeSync(fd);
  }
}

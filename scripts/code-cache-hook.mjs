// Preloaded by code-cache.mjs (`--import`): at exit writes what V8 has compiled of each chunk to the folder
// SMITH_CODE_CACHE, a file a chunk. With SMITH_CODE_CACHE_TTY the program takes its pipes for a terminal.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import vm from "node:vm";

const { SMITH_CODE_CACHE: folder, SMITH_CODE_CACHE_TTY: tty } = process.env;
const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    const name = basename(options?.filename ?? "");
    if (name.startsWith("chunk-")) scripts.set(name, this);
  }
};

if (tty !== undefined) {
  Object.assign(process.stdin, { isTTY: true, setRawMode: () => process.stdin });
  Object.assign(process.stdout, { isTTY: true, columns: 80, rows: 24 });
  process.stderr.isTTY = true;
}

process.on("exit", (code) => {
  if (code !== 0) return;
  for (const [name, script] of scripts) {
    const compiled = script.createCachedData();
    const path = join(folder, name);
    // Of several runs the one that used most of a chunk.
    if (!existsSync(path) || statSync(path).size < compiled.length) writeFileSync(path, compiled);
  }
});

import process from "node:process";
import { fileURLToPath } from "node:url";
import { bundle } from "../../scripts/bundle.mjs";

// Native code, WebAssembly and programs can't be bundled, and the chat libraries need not be: they stay in node_modules.
const external = [
  ...["better-sqlite3", "@vscode/ripgrep", "@vscode/tree-sitter-wasm", "web-tree-sitter"],
  ...["grammy", "discord.js"],
];

/** @param {string} [dist] where to; default: `dist` beside this file. */
export const bundleCli = (dist) => bundle({ dir: import.meta.dirname, name: "smith", external, codeCache: true, dist });

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCli();

import process from "node:process";
import { bundle } from "../../scripts/bundle.mjs";

// Native code, WebAssembly and programs can't be bundled, and the chat libraries need not be: they stay in node_modules.
const external = [
  ...["better-sqlite3", "@vscode/ripgrep", "@vscode/tree-sitter-wasm", "web-tree-sitter"],
  ...["grammy", "discord.js"],
];
// usage: node build.mjs [DIR]   DIR in place of `dist`
await bundle({ dir: import.meta.dirname, name: "smith", external, codeCache: true, dist: process.argv[2] });

import { bundle } from "../../scripts/bundle.mjs";

const external = ["better-sqlite3", "@vscode/ripgrep", "@vscode/tree-sitter-wasm", "web-tree-sitter", "vitest"];
await bundle({ dir: import.meta.dirname, name: "bench", external });

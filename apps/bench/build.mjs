import { bundle } from "../../scripts/bundle.mjs";

await bundle({ dir: import.meta.dirname, name: "bench", external: ["better-sqlite3", "@vscode/ripgrep", "vitest"] });

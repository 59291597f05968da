import { bundle } from "../../scripts/bundle.mjs";

// Native code and programs can't be bundled: they stay in node_modules.
await bundle({ dir: import.meta.dirname, name: "smith", external: ["better-sqlite3", "@vscode/ripgrep"] });

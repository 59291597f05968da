// What a package exports, as its sources have it now, whatever was built or not.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param contents an ES module whose relative imports start from `packages/<name>/src`. */
export async function fromSource(name, contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", name, "src") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    conditions: ["@smith/source"],
    logLevel: "warning",
  });
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** The tests that take minutes: kills, fault injection, scale. Run by `.ci/run` after `npm test`. */
const long = mergeConfig(base, defineConfig({ test: { testTimeout: 300_000, fileParallelism: false } }));
if (long.test !== undefined) {
  long.test.include = ["packages/*/test/**/*.long.test.ts", "apps/*/test/**/*.long.test.ts"];
  long.test.exclude = ["**/node_modules/**", "**/dist/**"];
}
export default long;

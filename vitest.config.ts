import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const conditions = ["@smith/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
    exclude: ["**/*.long.test.ts", "**/node_modules/**", "**/dist/**"],
    // Most of them wait for processes: one worker a core, where vitest would leave one core free.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VERSION } from "../src/index.ts";

test("the version that is exported is that of every package that is handed out", () => {
  const root = join(import.meta.dirname, "../../..");
  for (const dir of ["packages/runtime", "apps/cli"]) {
    const { version } = JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8")) as { version: string };
    expect([dir, version]).toEqual([dir, VERSION]);
  }
});

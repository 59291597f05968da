import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Config } from "@smith/contract/config";
import { CREDENTIALS } from "@smith/contract/platform";
import { expect, test } from "vitest";
import { CHAT_TOOLS } from "../src/tools.ts";

const docs = readFileSync(resolve(import.meta.dirname, "../../../docs/GATEWAY.md"), "utf8");

test("X5 docs/GATEWAY.md: its configuration is one, and it names every tool and variable there is", () => {
  const blocks = [...docs.matchAll(/```json\n(.*?)```/gs)].map(
    ([, json = ""]) => Config.safeParse(JSON.parse(json)).success,
  );
  expect(blocks).toEqual([true]);
  const named = new Set([...docs.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  expect(CHAT_TOOLS.filter((tool) => !named.has(tool))).toEqual([]);
  const variables = new Set([...docs.matchAll(/SMITH_[A-Z_]+/g)].map(([name]) => name));
  expect(
    Object.values(CREDENTIALS)
      .flat()
      .filter((name) => !variables.has(name)),
  ).toEqual([]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { toolName } from "../src/names.ts";

test("PL5 a tool is called mcp__server__tool; a name that no endpoint takes is made fit, always in the same way", () => {
  const long = "x".repeat(80);
  expect(
    [
      ["git", "log"],
      ["git", "a__b"],
      ["a__b", "c"],
      ["a_", "c"],
      ["my server", "näme.of/it"],
      ["s", long],
      [long, long],
    ].map(([server = "", tool = ""]) => toolName(server, tool)),
  ).toEqual([
    "mcp__git__log",
    "mcp__git__a__b",
    "mcp__a__b__c_a92700",
    "mcp__a___c_914ca0",
    "mcp__my_server__n_me_of_it_d8cae3",
    `mcp__s__${"x".repeat(49)}_cbf420`,
    `mcp__${"x".repeat(24)}__${"x".repeat(26)}_71d0b9`,
  ]);
});

test("PL5 every name is one that endpoints take, and no two tools of any two servers share one", () => {
  const part = fc.oneof(
    fc.string({ minLength: 1, maxLength: 90, unit: "binary" }),
    fc.stringMatching(/^[a-c_]{1,6}$/),
    fc.stringMatching(/^[a-z_-]{20,70}$/),
  );
  fc.assert(
    fc.property(part, part, part, part, (server, tool, otherServer, otherTool) => {
      const names = [toolName(server, tool), toolName(otherServer, otherTool)];
      for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
      if (server !== otherServer || tool !== otherTool) expect(names[0]).not.toBe(names[1]);
    }),
    { numRuns: 500 },
  );
});

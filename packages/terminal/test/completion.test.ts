import { expect, test } from "vitest";
import { type CompletionSources, complete, suffixes } from "../src/index.ts";

const sources: CompletionSources = {
  commands: () => [
    { name: "list" },
    { name: "help" },
    { name: "config" },
    { name: "config" },
    { name: "model" },
    { name: "mode", complete: (words) => (words.length <= 1 ? ["full", "ask", "plan"] : []) },
    { name: "role" },
    { name: "resume", aliases: ["load"] },
    { name: "save" },
    { name: "exit", aliases: ["quit", "q"] },
    { name: "boom", complete: () => Promise.reject(new Error("no")) },
  ],
  configPaths: () => ["services.tool.confine", "default_model", "models.worker"],
  models: async () => ["big-model", "small"],
  roles: () => ["orchestrator", "direct"],
  conversations: () => ["alpha", "beta"],
  files: () => ["src/read.ts", "README.md", "docs/read/ME.md", "src/very/dear.ts", "with blank.md", "src/thread.ts"],
};
const added = async (text: string) => suffixes(await complete(text, sources));

test("U26 candidates are suffixes with one blank, shortest first, then by alphabet, each once", async () => {
  expect(await added("/li")).toEqual(["st "]);
  expect(await added("/mode")).toEqual([" ", "l "]);
  expect(await added("/")).toEqual([
    "q ",
    "boom ",
    "exit ",
    "help ",
    "list ",
    "load ",
    "mode ",
    "quit ",
    "role ",
    "save ",
    "model ",
    "config ",
    "resume ",
  ]);
});

test("U26 arguments are completed from the command's own words, config paths, models, roles and conversations", async () => {
  expect(await added("/load ")).toEqual(["beta ", "alpha "]);
  expect(await added("/save ")).toEqual(["beta ", "alpha "]);
  expect(await added("/load a")).toEqual(["lpha "]);
  expect(await added("/resume al")).toEqual(["pha "]);
  expect(await added("/config s")).toEqual(["et "]);
  expect(await added("/config set ")).toEqual(["default_model ", "models.worker ", "services.tool.confine "]);
  expect(await added("/config set serv")).toEqual(["ices.tool.confine "]);
  expect(await added("/model ")).toEqual(["small ", "big-model "]);
  expect(await added("/role o")).toEqual(["rchestrator "]);
  expect(await added("/mode p")).toEqual(["lan "]);
});

test("U26 there is nothing to offer for commands without arguments, unknown ones, further words and plain text", async () => {
  for (const text of ["/list ", "/nope ", "/role direct ", "/mode full p", "hello", "say /li", "", "/usr/lib/x"]) {
    expect([text, await added(text)]).toEqual([text, []]);
  }
});

test("U26 leading blanks are ignored, as the command line ignores them", async () => {
  expect(await added("  /li")).toEqual(["st "]);
});

test("U26 a source that fails has no candidates, and no one else's are lost", async () => {
  const broken: CompletionSources = {
    ...sources,
    models() {
      throw new Error("offline");
    },
  };
  expect(suffixes(await complete("/model ", broken))).toEqual([]);
  expect(suffixes(await complete("/boom ", broken))).toEqual([]);
  expect(suffixes(await complete("/li", broken))).toEqual(["st "]);
  const none: CompletionSources = {
    commands() {
      throw new Error("gone");
    },
  };
  expect([suffixes(await complete("/li", none)), suffixes(await complete("@x", none))]).toEqual([[], []]);
});

test("U26 @file is found by its name, a part of its path or its letters in order, in any text", async () => {
  expect(await complete("look at @read", sources)).toEqual({
    text: "look at @read",
    typed: "@read",
    words: ["@README.md", "@src/read.ts", "@src/thread.ts", "@docs/read/ME.md"],
  });
  expect((await complete("@svd", sources)).words).toEqual(["@src/very/dear.ts"]);
  expect((await complete("/list @srcread", sources)).words).toEqual(["@src/read.ts", "@src/thread.ts"]);
  expect((await complete("mail me@read", sources)).words).toEqual([]);
});

test("U26 a file whose name holds a blank is named in quotes, also while they are open", async () => {
  const named: CompletionSources = { ...sources, files: () => ["my notes.md", "notes.md", 'no"t.md'] };
  expect((await complete("see @not", named)).words).toEqual(["@notes.md", '@"my notes.md"']);
  expect(await complete('see @"my no', named)).toEqual({
    text: 'see @"my no',
    typed: '@"my no',
    words: ['@"my notes.md"'],
  });
  expect((await complete('say "no', named)).words).toEqual([]);
});

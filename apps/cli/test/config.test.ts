import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "./scene.ts";

describe("smith config", () => {
  test("C1 C3 C22 C24 explain --json names the winner, and file and line of each layer", async () => {
    const here = place({
      config: '{\n  // mine\n  "max_rounds": 1,\n}',
      files: { ".smith/config.json": '{\n  "max_rounds": 2 }' },
    });
    await here.run(["config", "set", "max_rounds", "3"]);
    const args = ["--set", "max_rounds=4", "config", "explain", "max_rounds", "--json"];
    const { code, stdout, stderr } = await here.run(args);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      "",
      {
        path: "max_rounds",
        value: 4,
        winner: "flags",
        layers: [
          { layer: "user", value: 1, file: join(here.home, "config.json"), line: 3 },
          { layer: "project", value: 2, file: join(here.cwd, ".smith", "config.json"), line: 2 },
          { layer: "persisted", value: 3, file: null, line: null },
          { layer: "flags", value: 4, file: null, line: null },
        ],
      },
    ]);
    const text = (await here.run(["config", "explain", "max_rounds"])).stdout;
    expect(text.split("\n")).toEqual([
      "max_rounds = 3",
      `  user      1  ${join(here.home, "config.json")}:3`,
      `  project   2  ${join(here.cwd, ".smith", "config.json")}:2`,
      "→ persisted 3",
      "",
    ]);
  });

  test("C14 C18 set, get and unset through processes of their own; the user's file stays as it is", async () => {
    const text = '{ "ui": {"rain":false},\n\n "default_model" : "m" }';
    const here = place({ config: text });
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await here.run(["config", ...args]);
      return [code, stdout, stderr];
    };
    expect([
      await said("set", "default_model", "m2"),
      await said("get", "default_model"),
      await said("set", "llm_config.retry_backoff_ms", "[1, 2]"),
      await said("get", "llm_config.retry_backoff_ms", "--json"),
      await said("unset", "default_model"),
      await said("get", "default_model"),
      await said("get", "temperature"),
      await said("get", "temprature"),
      await said("set", "max_round", "3"),
      await said("set", "max_rounds", "0"),
      await said("set", "max_rounds"),
    ]).toEqual([
      [0, 'default_model = "m2", from the next turn on.\n', ""],
      [0, "m2\n", ""],
      [0, "llm_config.retry_backoff_ms = [1,2], from the next turn on.\n", ""],
      [0, "[1,2]\n", ""],
      [0, 'default_model is back to "m".\n', ""],
      [0, "m\n", ""],
      [1, "", "smith: temperature is not set.\n"],
      [2, "", "smith: temprature is no configuration key. Did you mean temperature?\n"],
      [2, "", "smith: max_round is no configuration key. Did you mean max_rounds?\n"],
      [2, "", "smith: max_rounds is 0: too small: expected number to be >0.\n"],
      [
        2,
        "",
        expect.stringMatching(
          /^smith: config [a-z]+.*: .*\. usage: config get \[PATH\] {2}\|.*\(smith config --help tells more\)/,
        ),
      ],
    ]);
    expect(readFileSync(join(here.home, "config.json"), "utf8")).toBe(text);
  });

  for (const [title, text, code] of [
    ["broken", '{ "default_model": "m", /* mine */ "ui": { "rain": false } "x": 1 }', 2],
    ["fine", '{\n\t"z": 1,\n}'.replace('"z": 1', '"ui": { "rain": false, }, "default_model": "m"'), 0],
  ] as const) {
    test(`B62 a user file that is ${title} is the same to the byte after config set, unset and a refused one`, async () => {
      const here = place({ config: text });
      const codes = [];
      for (const args of [
        ["set", "default_model", "m2"],
        ["unset", "default_model"],
      ]) {
        codes.push((await here.run(["config", ...args])).code);
      }
      codes.push((await here.run(["config", "set", "nope", "1"])).code);
      expect([codes, readFileSync(join(here.home, "config.json"), "utf8")]).toEqual([[code, code, 2], text]);
    });
  }

  test("C22 what a project file may not set is a warning on stderr, in every door", async () => {
    const here = place({ files: { ".smith/config.json": '{ "plugins": ["./evil.js"] }' } });
    const { code, stdout, stderr } = await here.run(["config", "get", "plugins", "--json"]);
    expect([code, stdout, stderr]).toEqual([
      0,
      "[]\n",
      `smith: ${join(here.cwd, ".smith", "config.json")}: plugins is ignored: a project file may not set it. List the repository under trusted_projects in your own file to allow it.\n`,
    ]);
  });

  test("C20 no door prints a secret of the file", async () => {
    const key = "sk-CANARY-98765";
    const provider = { name: "a", kind: "openai_chat", api_key: key, headers: { authorization: key } };
    const here = place({
      config: { providers: [provider], llm_config: { api_url: `http://u:${key}@127.0.0.1:1/v1` } },
    });
    const runs = [
      ["config", "get"],
      ["config", "get", "--json"],
      ["config", "explain", "providers", "--json"],
      ["config", "explain", "llm_config.api_url"],
    ];
    for (const args of runs) {
      const { code, stdout, stderr } = await here.run(args);
      expect([code, `${stdout}${stderr}`.includes(key), stdout.includes("***")]).toEqual([0, false, true]);
    }
    const repl = await here.run([], { stdin: "/config\n/config get providers\n" });
    expect([repl.stdout.includes(key), repl.stderr.includes(key)]).toEqual([false, false]);
  });
});

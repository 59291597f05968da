import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { model, place } from "./scene.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

/** The fenced blocks of a language, without their fences. */
const blocks = (language: string): readonly string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text ?? "");

/** The commands of the README that call smith, comments taken off. */
const commands = blocks("sh")
  .flatMap((block) => block.split("\n"))
  .map((line) => line.replace(/\s+#.*$/, "").trim())
  .filter((line) => /\bsmith\b/.test(line));

test("X1 the README names both commands of a newcomer and says first that bash is not guarded", () => {
  const sh = blocks("sh").join("\n");
  expect(["npm start", "npm test"].filter((command) => !sh.includes(command))).toEqual([]);
  expect(README.indexOf("is not guarded")).toBeLessThan(README.indexOf("## Start"));
});

test("X1 every smith command of the README runs", async () => {
  const llm = await model(commands.filter((line) => line.includes("-p")).map(() => ({ say: "Done." })));
  const here = place({ config: llm.config, files: { "a.txt": "one\n" }, git: true });
  const bin = join(here.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "smith"), `#!/bin/sh\nexec "${process.execPath}" "${SMITH}" "$@"\n`);
  chmodSync(join(bin, "smith"), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: here.home, SMITH_HOME: here.home, SMITH_NO_PROBE: "1" };
  const failed: string[] = [];
  for (const line of commands) {
    await promisify(execFile)("bash", ["-c", `${line} </dev/null`.replace(/^(git .*) <\/dev\/null$/, "$1")], {
      cwd: here.cwd,
      env,
    }).catch((error: Error) => failed.push(`${line}: ${error.message}`));
  }
  expect(failed).toEqual([]);
  expect(commands.length).toBeGreaterThanOrEqual(5);
});

test("X1 the configuration of the README is one that smith takes", async () => {
  const [json = ""] = blocks("json");
  const { code, stdout } = await place({ config: json }).run(["config", "get", "llm_config.api_url"]);
  expect([code, stdout]).toEqual([0, "http://127.0.0.1:8080/v1\n"]);
});

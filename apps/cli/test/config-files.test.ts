import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BROKEN } from "./broken-configs.ts";
import { type Place, place } from "./scene.ts";

/** What a run that can't start comes to: nothing on stdout, the whole of stderr. */
async function refused(here: Place, args: readonly string[] = ["config", "get", "mode"]) {
  const { code, signal, stdout, stderr } = await here.run(args);
  return { code, signal, stdout, stderr: stderr.replaceAll(here.home, "<home>").replaceAll(here.cwd, "<cwd>") };
}

const complaint = (lines: readonly string[], file = "<home>/config.json") => ({
  code: 2,
  signal: null,
  stdout: "",
  stderr: `smith: ${lines.map((line) => `${file}${line}\n`).join("")}`,
});

describe("a broken configuration file is told whole, with exit 2", () => {
  for (const { title, text, says } of BROKEN) {
    test(`C28 C29 faults 202 204 205 206 211 ${title}`, async () => {
      const here = place();
      writeFileSync(join(here.home, "config.json"), text);
      expect(await refused(here)).toEqual(complaint(says));
    });
  }

  test("C29 fault 208 a folder, a pipe, a link to itself in the place of the file", async () => {
    const here = place();
    const file = join(here.home, "config.json");
    mkdirSync(file);
    expect(await refused(here)).toEqual(complaint([": expected a regular file, found a folder. Move it away."]));
    rmSync(file, { recursive: true });
    execFileSync("mkfifo", [file]);
    expect(await refused(here)).toEqual(complaint([": expected a regular file, found something else. Move it away."]));
    rmSync(file);
    symlinkSync("config.json", file);
    expect(await refused(here)).toEqual(complaint([": can't be read (ELOOP). Make it readable, or move it away."]));
  });

  // Root may read every file, so for root there is no such case to try.
  if (process.getuid?.() !== 0) {
    test("C29 fault 208 a file that may not be read", async () => {
      const here = place({ config: {} });
      chmodSync(join(here.home, "config.json"), 0o000);
      expect(await refused(here)).toEqual(complaint([": can't be read (EACCES). Make it readable, or move it away."]));
    });
  }

  test("C22 C29 a broken project file is told by its own name", async () => {
    const here = place({ files: { ".smith/config.json": '{\n  "mode": "yolo"\n}' } });
    expect(await refused(here)).toEqual(
      complaint([':2:11: mode is "yolo": expected one of "full"|"ask"|"plan".'], "<cwd>/.smith/config.json"),
    );
  });
});

describe("a file that is fine", () => {
  for (const [title, text] of [
    ["a byte-order mark", '\uFEFF{ "mode": "plan" }'],
    ["comments", '{ /* one */ "mode": "plan" // two\n}'],
    ["a comma at the end", '{ "mode": "plan", }'],
    ["a mark, comments, tabs and CRLF", '\uFEFF// first\r\n{\r\n\t"mode": "plan",\r\n}\r\n'],
  ] as const) {
    test(`C29 fault 203 ${title}`, async () => {
      const here = place({ config: text });
      const { code, stdout, stderr } = await here.run(["config", "get", "mode"]);
      expect([code, stdout, stderr]).toEqual([0, "plan\n", ""]);
    });
  }

  test("C25 config template prints one that Smith takes as it is", async () => {
    const here = place();
    const { stdout } = await here.run(["config", "template"]);
    writeFileSync(join(here.cwd, "mine.json"), stdout);
    const { code, stdout: model } = await here.run(["--config", "mine.json", "config", "get", "default_model"]);
    expect([code, model]).toEqual([0, "my-model\n"]);
  });
});

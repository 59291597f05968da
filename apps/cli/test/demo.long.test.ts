import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { place } from "./scene.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
/** What the README shows of it, line by line. */
const CAPTURE = (/^```text\n(.*?)^```/ms.exec(README)?.[1] ?? "no capture").split("\n");
/** Without the names of jobs, which differ from run to run. */
const unnamed = (text: string): string =>
  text.replace(/(?<=(?:explorer|worker|Niobe) )\w{4}\b|(?<=^ {2})\w{4}(?= {2})/gm, "ID");

test("X1 smith demo says that it is a replay, catches the lying explorer, tells what a Ctrl-C left changed, and recovers from a kill -9", async () => {
  const began = performance.now();
  const here = place();
  const end = await here.run(["demo"], { env: { TMPDIR: here.home } });
  expect([end.code, end.stderr, performance.now() - began < 30_000]).toEqual([0, "", true]);
  expect(end.stdout).toMatch(/^smith demo: a replay\. What the model says is a script/);
  const verdicts = [...end.stdout.matchAll(/^ {8}(verified|stale|unsupported)\s/gm)].map(([, verdict]) => verdict);
  expect(verdicts).toEqual(["verified", "verified", "verified", "unsupported"]);
  expect(end.stdout).toContain("the quote stands in nothing this job was shown");
  expect(end.stdout).toContain("cancelled (ctrl-c)");
  expect(end.stdout).toContain("1 file changed: src/retry.js");
  expect(end.stdout).toMatch(/smith: recovered t1, .* cut off: dispatch \(worker partial\)/);
  expect(end.stdout).toContain("Whether the tests pass with that nobody saw");
  const shown = unnamed(end.stdout);
  expect(CAPTURE.filter((line) => line !== "" && !shown.includes(unnamed(line)))).toEqual([]);
  expect(await here.leftBehind()).toEqual([]);
  expect(readdirSync(here.home).filter((name) => name.startsWith("smith-demo-"))).toEqual([]);
});

test("smith demo takes no words, and its help says what it is", async () => {
  const here = place();
  const [wrong, help] = await Promise.all([here.run(["demo", "now"]), here.run(["demo", "--help"])]);
  expect([wrong.code, wrong.stdout, help.code]).toEqual([2, "", 0]);
  expect(wrong.stderr).toMatch(/^smith: .*See smith --help\.\n$/);
  expect(help.stdout).toContain("four explorers");
});

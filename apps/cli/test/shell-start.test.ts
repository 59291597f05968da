import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { model, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

const canMeasure = hasTmux && process.platform === "linux";
if (!canMeasure) console.log("skipped: the start of the shell (it takes tmux and Linux's /proc)");

/** CPU time that a process has taken so far, in all its threads, ms. */
const cpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);

/** What it took from start to end, by its own account. */
const USED =
  "const { userCPUTime, systemCPUTime } = process.resourceUsage(); console.log((userCPUTime + systemCPUTime) / 1e3)";
const bareNode = (): number => Number(execFileSync(process.execPath, ["-e", USED], { encoding: "utf8" }));

/** Words that stand in the bundle once for each library that the prompt does without. */
const LATER = { marked: "markedjs/marked", diff: "oneChangePerToken", comments: '"InvalidCommentToken"' };

describe.skipIf(!canMeasure)("the start of the shell", () => {
  test("K6 the first prompt takes a small multiple of the CPU of bare node; the aim, twice and 60 ms, is reported", async ({
    annotate,
  }) => {
    const llm = await model([]);
    const here = place({ config: llm.config, git: true });
    const smith: number[] = [];
    const node: number[] = [];
    for (let run = 0; run < 5; run++) {
      node.push(Math.round(bareNode()));
      const pane = await openPane(here);
      smith.push(Math.round(cpuMs(pane.pid())));
      pane.press("C-d");
      await pane.ended();
    }
    await annotate(`CPU to the first prompt: ${smith.join(", ")} ms; bare node: ${node.join(", ")} ms`);
    // Shared cores are noisy: what is gated is the kind of it, and what is loaded, below.
    expect(Math.min(...smith)).toBeLessThanOrEqual(2 * (2 * Math.min(...node) + 60));
  });

  test("K6 before the first prompt neither Markdown nor diffs nor the search program are loaded", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config, git: true });
    const trace = join(here.home, "trace");
    const hook = join(import.meta.dirname, "trace.mjs");
    const pane = await openPane(here, { env: { NODE_OPTIONS: `--import=${hook}`, SMITH_TRACE: trace } });
    const loaded = [...new Set(readFileSync(trace, "utf8").trimEnd().split("\n"))];
    const texts = loaded.filter((url) => url.startsWith("file:") && url.includes("/cli/dist/"));
    const sources = texts.map((url) => readFileSync(fileURLToPath(url), "utf8"));
    const found = Object.entries(LATER).filter(([, mark]) => sources.some((text) => text.includes(mark)));
    expect(found).toEqual([]);
    expect(loaded.filter((each) => /ripgrep|node:https|node:tls|node:zlib|node:http2/.test(each))).toEqual([]);
    console.info(`before the first prompt: ${texts.length} files of ours, ${loaded.length} modules`);
    pane.press("C-d");
    expect((await pane.ended()).code).toBe(0);
  });
});

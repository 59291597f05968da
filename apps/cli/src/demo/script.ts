/** What the scripted model answers, step by step, to whoever was last told these words. */
export interface Step {
  readonly say?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}

export const QUESTION = "How long does courier wait between two tries, and is it tested?";
export const ORDER = "Raise the cap to 60 seconds and check it.";
export const BREAK = "Double the delays and check them.";
export const AFTER = "What became of the delays?";

const DELAY = "Find where the delay between two tries is computed.";
const CAP = "Find what caps the delay.";
const CALLER = "Find who waits that long, and how often.";
const TESTS = "Find out what the tests check.";
const WORK = "Set CAP_MS in src/retry.js to 60_000 and run the tests.";
const MORE_WORK = "Double DELAYS in src/retry.js and run the tests.";

const call = (name: string, args: object) => ({ calls: [{ name, args }] });
const dispatch = (target_role: string, task: string) => ({ name: "dispatch", args: { target_role, task } });
const report = (summary: string, finding: string, evidence: object | string): Step =>
  call("report", { status: "ok", summary, findings: [finding], evidence: [evidence] });

export const SCRIPT: Readonly<Record<string, readonly Step[]>> = Object.freeze({
  [QUESTION]: [
    { calls: [DELAY, CAP, CALLER, TESTS].map((task) => dispatch("explorer", task)) },
    {
      say: "Between two tries courier waits 1, 2, then 4 seconds, never more than 30 (src/retry.js). What was reported of the tests stands in nothing the explorer was shown, so I do not rely on it.",
    },
  ],
  [DELAY]: [
    call("read", { path: "src/retry.js" }),
    report("waitBefore computes it.", "1, 2, then 4 seconds", { path: "src/retry.js", lines: "5-7" }),
  ],
  [CAP]: [
    call("bash", { command: "grep -rn CAP_MS src" }),
    report("CAP_MS caps it at 30 s.", "never above 30 s", "src/retry.js:3 `CAP_MS = 30_000`"),
  ],
  [CALLER]: [
    call("code_grep", { pattern: "waitBefore" }),
    report("send waits, at most twice.", "send() waits between its three tries", { path: "src/send.js", lines: "7" }),
  ],
  [TESTS]: [
    call("read", { path: "test/retry.test.js" }),
    // The lie: it was shown the test, and quotes one that is not there.
    report("All delays are tested, the cap too.", "the cap is tested", {
      path: "test/retry.test.js",
      quote: "expect(waitBefore(99)).toBe(CAP_MS)",
    }),
  ],
  [ORDER]: [{ calls: [dispatch("worker", WORK)] }, { say: "Done." }],
  [WORK]: [
    call("edit", { path: "src/retry.js", old_string: "CAP_MS = 30_000", new_string: "CAP_MS = 60_000" }),
    call("bash", { command: "node test/retry.test.js; sleep 20" }),
    call("report", { status: "ok", summary: "The cap is 60 s." }),
  ],
  [BREAK]: [{ calls: [dispatch("worker", MORE_WORK)] }],
  [MORE_WORK]: [
    call("edit", { path: "src/retry.js", old_string: "[1000, 2000, 4000]", new_string: "[2000, 4000, 8000]" }),
    call("bash", { command: "node test/retry.test.js; sleep 20" }),
  ],
  [AFTER]: [
    {
      say: "They are doubled in src/retry.js. Whether the tests pass with that nobody saw: the process was killed before they ended.",
    },
  ],
});

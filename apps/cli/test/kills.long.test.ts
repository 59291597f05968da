import { expect, test } from "vitest";
import { integrity } from "./database.ts";
import { faultsOf, storedSessions } from "./kill-checks.ts";
import { killModel } from "./kill-model.ts";
import { place } from "./scene.ts";

const KILLS = Number(process.env["SMITH_KILLS"] ?? 40);
const SEED = Number(process.env["SMITH_SEED"] ?? 1);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

test(`P1 P2 P3 P5 ${KILLS} kills at random instants of nested jobs and edits lose nothing that was acknowledged`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const llm = await killModel(4);
  const here = place({ config: llm.config });
  const random = dice(SEED);
  const begun = performance.now();
  const whole = await here.run(["-p", "job 0", "--output", "json"]);
  const length = performance.now() - begun;
  expect(whole.json()).toMatchObject({ text: "done 0", persisted: true });
  const count = { before: 0, within: 0, after: 0, recovered: 0 };
  for (let n = 1; n <= KILLS; n++) {
    const run = here.smith(["-c", "-p", `job ${n}`, "--output", "jsonl"]);
    const timer = setTimeout(() => run.kill("SIGKILL"), random() * length * 1.1);
    const { stdout } = await run.ended;
    clearTimeout(timer);
    const began = stdout.includes('"turn_started"');
    const acknowledged = /"turn_persisted"[^\n]*\n/.test(ownLines(stdout));
    expect(integrity(here.database)).toBe("ok");
    const next = await here.run(["-c", "-p", "and now?", "--output", "json"]);
    expect([n, next.code, llm.violations]).toEqual([n, 0, []]);
    const recovered = next.json().notices.some(({ text }) => text.startsWith("recovered t"));
    const sessions = await storedSessions(here);
    expect([n, faultsOf(sessions, here)]).toEqual([n, []]);
    const main = sessions.find(({ parent }) => parent === null)?.messages ?? [];
    const lines = main.map(({ content }) => content);
    if (began) expect(lines).toContain(`job ${n}`);
    if (acknowledged) expect([lines.at(-3), recovered]).toEqual([`done ${n}`, false]);
    for (const word of ["before", "within", "after"] as const) {
      if (word === (acknowledged ? "after" : began ? "within" : "before")) count[word]++;
    }
    if (recovered) count.recovered++;
    if (n % 10 === 0) await here.run(["sessions", "delete", sessions.find(({ parent }) => parent === null)?.id ?? ""]);
    if (n % 10 === 0) await here.run(["-p", "a fresh start"]);
  }
  console.log(`${KILLS} kills (seed ${SEED}): ${JSON.stringify(count)}; a run takes ${Math.round(length)} ms`);
  expect(count.within).toBeGreaterThan(KILLS / 4);
});

/** The events of the turn itself: a job's have a role of their own. */
const ownLines = (stdout: string): string =>
  stdout
    .split("\n")
    .filter((line) => !line.includes('"source_role"'))
    .join("\n");

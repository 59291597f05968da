import { expect, test } from "vitest";
import { integrity, type StoredSession, storedSessions } from "./database.ts";
import { faultsOf } from "./kill-checks.ts";
import { type KillModel, killModel } from "./kill-model.ts";
import { type Place, place } from "./scene.ts";

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

interface Killed {
  readonly when: "before the turn" | "within it" | "after it";
  readonly recovered: boolean;
}

interface Round {
  readonly here: Place;
  readonly llm: KillModel;
  readonly n: number;
  /** When to kill, ms after the start. */
  readonly after: number;
}

/** One kill, the next turn, and everything that must hold then. */
async function killOnce({ here, llm, n, after }: Round): Promise<Killed> {
  const run = here.smith(["-c", "-p", `job ${n}`, "--output", "jsonl"]);
  const timer = setTimeout(() => run.kill("SIGKILL"), after);
  const { stdout } = await run.ended;
  clearTimeout(timer);
  expect(integrity(here.database)).toBe("ok");
  const next = await here.run(["-c", "-p", "and now?", "--output", "json"]);
  expect([n, next.code, llm.violations]).toEqual([n, 0, []]);
  const sessions = storedSessions(here.database);
  expect([n, faultsOf(sessions, here)]).toEqual([n, []]);
  const recovered = next.json().notices.some(({ text }) => text.startsWith("recovered t"));
  const told = (type: string) => ownLines(stdout).some((line) => line.includes(`"type":"${type}"`));
  const lines = mainOf(sessions)?.messages.map(({ content }) => content) ?? [];
  if (told("turn_started")) expect(lines).toContain(`job ${n}`);
  if (told("turn_persisted")) expect([lines.at(-3), recovered]).toEqual([`done ${n}`, false]);
  return {
    when: told("turn_persisted") ? "after it" : told("turn_started") ? "within it" : "before the turn",
    recovered,
  };
}

const mainOf = (sessions: readonly StoredSession[]): StoredSession | undefined =>
  sessions.find(({ parent }) => parent === null);

test(`promises P1 P2 P3 P5 ${KILLS} kills at random instants of nested jobs and edits lose nothing that was acknowledged`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const llm = await killModel(8);
  const here = place({ config: llm.config });
  const random = dice(SEED);
  const begun = performance.now();
  const whole = await here.run(["-p", "job 0", "--output", "json"]);
  const length = performance.now() - begun;
  expect(whole.json()).toMatchObject({ text: "done 0", persisted: true });
  const kills: Killed[] = [];
  for (let n = 1; n <= KILLS; n++) {
    kills.push(await killOnce({ here, llm, n, after: random() * length * 1.1 }));
    if (n % 10 === 0) await startAfresh(here);
  }
  const count = (["before the turn", "within it", "after it"] as const).map(
    (word) => `${kills.filter(({ when }) => when === word).length} ${word}`,
  );
  const recovered = kills.filter((kill) => kill.recovered).length;
  console.log(
    `${KILLS} kills (seed ${SEED}): ${count.join(", ")}; ${recovered} recovered; a run takes ${Math.round(length)} ms`,
  );
  expect(recovered).toBeGreaterThan(KILLS / 4);
});

/** A session that does not end makes each look at all of it longer. */
async function startAfresh(here: Place): Promise<void> {
  await here.run(["sessions", "delete", "latest"]);
  await here.run(["-p", "a fresh start"]);
}

/** The events of the turn itself, as far as their lines are whole: a job's have a role of their own. */
const ownLines = (stdout: string): readonly string[] =>
  stdout
    .split("\n")
    .slice(0, -1)
    .filter((line) => !line.includes('"source_role"'));

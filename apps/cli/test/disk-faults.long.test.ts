import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { integrity, storedSessions, turnStates } from "./database.ts";
import { type KillModel, killModel } from "./kill-model.ts";
import { has, type Place, place } from "./scene.ts";
import { type Traced, traced } from "./traced.ts";

const hasStrace = has("strace");
if (!hasStrace) console.log("skipped: faults of the disk at each system call need strace");

const FAULTS = ["signal=SIGKILL", "error=EIO", "error=ENOSPC"] as const;
const CALLS = ["fsync", "pwrite64"] as const;

/** More than any run makes: a sweep that gets here never ended. */
const TOO_MANY = 400;

/** The second turn of a session. */
const SECOND = ["-c", "-p", "second", "--output", "jsonl"];

interface Sweep {
  readonly here: Place;
  readonly llm: KillModel;
  /** The database after the first turn. */
  readonly before: string;
}

function restore({ here, before }: Sweep): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${here.database}${end}`, { force: true });
  copyFileSync(before, here.database);
}

/** What must hold after a fault, wherever it was. */
async function check(what: string, { stdout, code }: Traced, { here, llm }: Sweep): Promise<void> {
  const lines = stdout.split("\n").slice(0, -1);
  const acknowledged = lines.some((line) => line.includes('"type":"turn_persisted"'));
  expect([what, integrity(here.database)]).toEqual([what, "ok"]);
  const states = turnStates(here.database);
  expect([what, states[0]]).toEqual([what, "completed"]);
  if (acknowledged) expect([what, states[1]]).toEqual([what, "completed"]);
  const lived = lines.at(-1)?.startsWith('{"stop_reason"') === true;
  const result = lived ? (JSON.parse(lines.at(-1) ?? "") as { persisted: boolean; text: string }) : null;
  if (result !== null) {
    // Null: it was killed after its last line, while the database was closed.
    expect([what, code ?? 0, result.text, result.persisted]).toEqual([what, 0, "Nothing to do.", acknowledged]);
  }
  const next = await here.run(["-c", "-p", "third", "--output", "json"]);
  expect([what, next.code, next.json().persisted, llm.violations]).toEqual([what, 0, true, []]);
  const said = storedSessions(here.database)[0]?.messages.map(({ content }) => content) ?? [];
  const [first, last] = [said.slice(0, 2), said.slice(-2)];
  expect([what, first, last]).toEqual([what, ["first", "Nothing to do."], ["third", "Nothing to do."]]);
  if (states[1] === "completed") expect([what, said.slice(2, 4)]).toEqual([what, ["second", "Nothing to do."]]);
}

test.skipIf(!hasStrace)(
  "promises P1 P2 faults 3 16 17 a kill, EIO or ENOSPC at any fsync or pwrite64 costs at most the turn that was not acknowledged",
  {
    timeout: 1_200_000,
  },
  async () => {
    const llm = await killModel(0);
    const here = place({ config: llm.config });
    await here.run(["-p", "first"]);
    const sweep: Sweep = { here, llm, before: join(here.home, "before.db") };
    copyFileSync(here.database, sweep.before);
    expect(existsSync(`${here.database}-wal`)).toBe(false);
    const told: string[] = [];
    for (const call of CALLS) {
      for (const fault of FAULTS) {
        let hits = 0;
        for (let n = 1; n < TOO_MANY; n++) {
          restore(sweep);
          const run = await traced(here, `${call}:${fault}:when=${n}`, SECOND);
          await check(`${call} ${fault} ${n}`, run, sweep);
          if (!run.hit) break;
          hits++;
        }
        told.push(`${call} ${fault.replace(/^\w+=/, "")}: ${hits}`);
        expect(hits).toBeGreaterThan(0);
        expect(hits).toBeLessThan(TOO_MANY - 1);
      }
    }
    console.log(`injections that hit: ${told.join(", ")}`);
  },
);

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Step } from "@smith/testkit";
import { expect, test, vi } from "vitest";
import { model, place } from "./scene.ts";

const TURNS = 2_000;
/** Each such turn hands out a job; a new session begins every hundred. */
const JOB_EVERY = 10;
const SESSION = 100;
const MB = 1024 * 1024;

interface Held {
  readonly heap: number;
  readonly rss: number;
  readonly listeners: number;
  readonly resources: readonly string[];
  readonly files: number;
}

const turns = Array.from({ length: TURNS }, (_, n) => n + 1);
const hasJob = (turn: number): boolean => turn % JOB_EVERY === 0;

/** What the model says: in each turn a command or a job, then a word. */
const direct = (turn: number): readonly Step[] => [
  hasJob(turn)
    ? { call: [{ id: `d${turn}`, name: "dispatch", args: { target_role: "explorer", task: `Look ${turn}.` } }] }
    : { call: [{ id: `b${turn}`, name: "bash", args: { command: `echo ${turn}` } }] },
  { say: `Turn ${turn} is done.` },
];

test.skipIf(process.platform !== "linux")(
  `a shell of ${TURNS} turns, a tenth of them with a job, holds at its end what it held half-way`,
  async () => {
    const jobs = turns.filter(hasJob).map<Step>((turn) => ({
      call: [{ id: `r${turn}`, name: "report", args: { status: "ok", summary: `Seen ${turn}.` } }],
    }));
    const llm = await model({ direct: turns.flatMap(direct), explorer: jobs });
    const here = place({ config: llm.config, git: true });
    const probe = join(here.home, "probe");
    const smith = here.smith(["--new"], {
      stdin: { open: true },
      node: ["--import", pathToFileURL(join(import.meta.dirname, "soak-probe.mjs")).href],
      env: { SMITH_PROBE: probe },
    });
    const held: Held[] = [];
    for (let from = 1; from <= TURNS; from += SESSION) {
      const lines = turns.slice(from - 1, from - 1 + SESSION).map((turn) => `turn ${turn}`);
      smith.child.stdin?.write(`/new\n${lines.join("\n")}\n`);
      await smith.printed(`Turn ${from - 1 + SESSION} is done.\n`);
      smith.kill("SIGUSR2");
      held.push(await vi.waitUntil(() => readHeld(probe)[held.length], { timeout: 60_000, interval: 20 }));
    }
    smith.child.stdin?.end("/exit\n");
    const end = await smith.ended;
    expect([end.code, end.stdout.match(/^Turn \d+ is done\.$/gm)?.length]).toEqual([0, TURNS]);

    const [early, late] = [held[TURNS / SESSION / 2 - 1], held.at(-1)] as [Held, Held];
    console.info(`held half-way: ${told(early)}; at the end: ${told(late)}`);
    expect([late.files, late.listeners, late.resources.toSorted()]).toEqual([
      ...[early.files, early.listeners, early.resources.toSorted()],
    ]);
    // Half-way the last 10,000 events are there already. A listener left by each call would be 3 MB.
    expect(late.heap - early.heap).toBeLessThan(2 * MB);
    expect(await here.leftBehind()).toEqual([]);
  },
);

const readHeld = (file: string): readonly Held[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Held)
    : [];

const told = ({ heap, rss, listeners, resources, files }: Held): string =>
  `${(heap / MB).toFixed(1)} MB of heap, ${(rss / MB).toFixed(0)} MB in all, ${files} files, ${listeners} listeners, ${resources.length} handles`;

import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killModel } from "./kill-model.ts";
import { has, place } from "./scene.ts";
import { traced } from "./traced.ts";

const hasStrace = has("strace");
if (!hasStrace) console.log("skipped: a kill at each system call of an edit needs strace");

/** Large enough for many writes: a kill between two of them would show. */
const TEXT = `${"a line that stays as it is\n".repeat(80_000)}end of v`;
const hash = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const [OLD, NEW] = [hash(`${TEXT}1\n`), hash(`${TEXT}2\n`)];

/** The calls by which a file is made and put in its place. */
const CALLS = ["rename", "fsync", "chmod", "write"] as const;
const TOO_MANY = 400;

test.skipIf(!hasStrace)(
  "promise P3 fault 5 a kill at any write, flush or rename of an edit leaves the old file or the new one, mode bits too",
  { timeout: 1_200_000 },
  async () => {
    const llm = await killModel(0);
    const here = place({ config: llm.config });
    const file = join(here.cwd, "f.txt");
    const told: string[] = [];
    for (const call of CALLS) {
      const ends = { old: 0, new: 0 };
      for (let n = 1; n < TOO_MANY; n++) {
        writeFileSync(file, `${TEXT}1\n`, { mode: 0o750 });
        const { hit } = await traced(here, `${call}:signal=SIGKILL:when=${n}`, ["-p", "edit f.txt"]);
        const now = hash(readFileSync(file));
        expect([call, n, now === OLD || now === NEW, (statSync(file).mode & 0o777).toString(8)]).toEqual([
          call,
          n,
          true,
          "750",
        ]);
        if (!hit) break;
        ends[now === OLD ? "old" : "new"]++;
      }
      told.push(`${call} ${ends.old} old, ${ends.new} new`);
    }
    console.log(`kills that hit an edit: ${told.join("; ")}`);
    expect(llm.violations).toEqual([]);
  },
);

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DispatchResult } from "@smith/contract/dispatch";
import { expect, test } from "vitest";
import { integrity } from "./database.ts";
import { conversationIn, model, type Place, place } from "./scene.ts";

const FILES = 40;
const names = Array.from({ length: FILES }, (_, at) => `f${at}.txt`);

function contentOf({ cwd }: Place, name: string): string | null {
  try {
    return readFileSync(join(cwd, name), "utf8");
  } catch {
    return null; // not there, or gone just now
  }
}

/** Of every other file there was one before. */
const wasThere = (at: number): boolean => at % 2 === 0;

/** Resolves when the file is as it was before the turn; looks as often as this process can. */
async function isBack(here: Place, at: number): Promise<void> {
  const before = wasThere(at) ? "old" : null;
  while (contentOf(here, `f${at}.txt`) !== before) await new Promise((resolve) => setImmediate(resolve));
}

test("kill -9 in the middle of an undo leaves each file old or new; the next start names them, and the same /undo ends it", {
  timeout: 120_000,
}, async () => {
  for (const at of [0, 7, 20, FILES - 1]) {
    const calls = names.map((path) => ({ id: path, name: "write", args: { path, content: `new ${path}` } }));
    const llm = await model([{ call: calls }, { say: "Done." }]);
    const here = place({ config: llm.config });
    for (const [n, name] of names.entries()) if (wasThere(n)) writeFileSync(join(here.cwd, name), "old");
    await here.run(["-p", "change them all"]);

    const undoing = here.smith(["-c"], { stdin: "/undo\n" });
    await isBack(here, at);
    undoing.kill("SIGKILL");
    await undoing.ended;
    expect(integrity(here.database)).toBe("ok");
    const states = names.map((name, n) => [contentOf(here, name), wasThere(n) ? "old" : null, `new ${name}`]);
    expect(states.filter(([now, before, after]) => now !== before && now !== after)).toEqual([]);

    const next = await here.run(["-c"], { stdin: "/undo t1\n" });
    const wasOver = next.stderr.includes("nothing to undo"); // the kill came after the last mark
    if (!wasOver)
      expect(next.stderr).toMatch(/An undo of t1 was cut off\. Files put back: .*f0\.txt.*\/undo t1 ends it\./);
    expect(next.stdout).toContain(wasOver ? "" : "undone: t1");
    expect(names.map((name) => contentOf(here, name))).toEqual(names.map((_, n) => (wasThere(n) ? "old" : null)));
    const after = await here.run(["-c"], { stdin: "/undo\n" });
    expect([after.stderr.includes("cut off"), after.stderr.includes("nothing to undo")]).toEqual([false, true]);
  }
});

test("two shells that take the same turn back at once both end with every file as it was", {
  timeout: 120_000,
}, async () => {
  for (let n = 0; n < 4; n++) {
    const calls = names.map((path) => ({ id: path, name: "write", args: { path, content: `new ${path}` } }));
    const llm = await model([{ call: calls }, { say: "Done." }]);
    const here = place({ config: llm.config });
    for (const [at, name] of names.entries()) if (wasThere(at)) writeFileSync(join(here.cwd, name), "old");
    await here.run(["-p", "change them all"]);
    const runs = await Promise.all([1, 2].map(() => here.run(["-c"], { stdin: "/undo\n" })));
    const told = runs.map(({ stdout, stderr }) =>
      stdout.startsWith("undone: t1") ? "undone" : /nothing to undo/.test(stderr) ? "nothing left" : stderr,
    );
    expect(told.filter((each) => each !== "undone" && each !== "nothing left")).toEqual([]);
    expect(told).toContain("undone");
    expect(names.map((name) => contentOf(here, name))).toEqual(names.map((_, at) => (wasThere(at) ? "old" : null)));
  }
});

test("promises P3 P5 kill -9 within a job: its result has its checks, and /undo takes the files of both back", async () => {
  const write = (id: string, path: string) => ({ id, name: "write", args: { path, content: "new" } });
  const llm = await model({
    direct: [
      { call: [write("a", "mine.txt"), { id: "d", name: "dispatch", args: { target_role: "worker", task: "do it" } }] },
      { say: "went on" },
    ],
    worker: [{ call: [write("w", "job.txt"), { id: "b", name: "bash", args: { command: "touch begun; sleep 60" } }] }],
  });
  const here = place({ config: llm.config, files: { "job.txt": "old" }, git: true });
  const first = here.smith(["-p", "work"]);
  await first.made("begun");
  first.kill("SIGKILL");
  await first.ended;
  await here.run(["-c", "-p", "and now?"]);
  const told = conversationIn(llm.requests.at(-1)).find((message) => message.tool_call_id === "d")?.content ?? "";
  const result = JSON.parse(told) as DispatchResult;
  const job = join(here.cwd, "job.txt");
  expect(result).toMatchObject({
    ...{ status: "partial", synthetic: true, error: { code: "interrupted" }, verification_check: [] },
    ...{ changes: [{ path: job }], changes_check: { claimed_and_done: [job], done_not_claimed: [] } },
  });
  const { stdout } = await here.run(["-c"], { stdin: "/undo t1\n" });
  expect([contentOf(here, "mine.txt"), contentOf(here, "job.txt")]).toEqual([null, "old"]);
  expect(stdout).toContain("What bash changed is not known (its process was killed while it ran); it stays.");
});

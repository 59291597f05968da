import { expect, test } from "vitest";
import { integrity, storedSessions } from "./database.ts";
import { faultsOf } from "./kill-checks.ts";
import { killModel } from "./kill-model.ts";
import { place } from "./scene.ts";

const TURNS = Number(process.env["SMITH_HAMMER"] ?? 400);

test(`PS20 B58 two processes that take ${TURNS} turns each on one database at once lose and mix nothing, and meet no busy error`, {
  timeout: 300_000,
}, async () => {
  const llm = await killModel(0);
  const here = place({ config: llm.config });
  const linesOf = (name: string) => Array.from({ length: TURNS }, (_, n) => `${name} ${n}`);
  const begun = performance.now();
  const ended = await Promise.all(
    ["left", "right"].map((name) =>
      here.run([], {
        stdin: linesOf(name)
          .map((line) => `${line}\n`)
          .join(""),
      }),
    ),
  );
  console.log(`${2 * TURNS} turns of two processes in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(ended.map(({ stderr }) => stderr)).toEqual(["", ""]);
  const found = storedSessions(here.database)
    .map(({ messages }) => messages.map(({ content }) => content))
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  expect(found).toEqual(["left", "right"].map((name) => linesOf(name).flatMap((line) => [line, "Nothing to do."])));
  expect([integrity(here.database), llm.violations]).toEqual(["ok", []]);
});

test("PS20 B58 six processes at once, from the first start on, with jobs, commands and files, keep everything", async () => {
  const llm = await killModel(0);
  const here = place({ config: llm.config });
  const processes = [1, 2, 3, 4, 5, 6];
  const ended = await Promise.all(
    processes.map((each) => here.run([], { stdin: [1, 2, 3].map((n) => `job ${each}${n}\n`).join("") })),
  );
  expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(
    processes.map((each) => [0, [1, 2, 3].map((n) => `done ${each}${n}\n`).join("")]),
  );
  expect(ended.filter(({ stderr }) => /busy|locked/i.test(stderr))).toEqual([]);
  const sessions = storedSessions(here.database);
  expect(sessions.filter(({ parent }) => parent === null).map(({ messages }) => messages.length)).toEqual(
    processes.map(() => 3 * 11),
  );
  expect([faultsOf(sessions, here), integrity(here.database), llm.violations]).toEqual([[], "ok", []]);
});

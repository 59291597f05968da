import { expect, test } from "vitest";
import { integrity, storedSessions } from "./database.ts";
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

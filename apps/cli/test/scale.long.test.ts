import { expect, test } from "vitest";
import { addMessages } from "./database.ts";
import { killModel } from "./kill-model.ts";
import { type Place, place } from "./scene.ts";

const MESSAGES = 10_000;
const RUNS = 9;

/** The median of how long a shell takes from its start to its end when nothing is typed, ms. */
async function shellMs(here: Place, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    const begun = performance.now();
    expect((await here.run(args)).code).toBe(0);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

test(`a session of ${MESSAGES} messages of 500 bytes is gone on with at little more than the start of a shell`, async () => {
  const llm = await killModel(0);
  const here = place({ config: llm.config });
  await here.run(["-p", "first"]);
  addMessages(here.database, MESSAGES - 2, 500);
  const [fresh, resumed] = [await shellMs(here, []), await shellMs(here, ["-c"])];
  const result = await here.run(["-c", "-p", "second", "--output", "json"]);
  expect([result.json().text, llm.violations]).toEqual(["Nothing to do.", []]);
  console.log(
    `a shell from start to end: ${fresh.toFixed(0)} ms fresh, ${resumed.toFixed(0)} ms with ${MESSAGES} messages`,
  );
  expect(resumed - fresh).toBeLessThan(1_000);
});

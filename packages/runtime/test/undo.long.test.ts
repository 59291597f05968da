import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, openScene } from "./delegation-scene.ts";

const NAMES = ["a", "b", "c"];
/** The same numbers for the same seed, from 0 up to a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function randomTurns(roll: (bound: number) => number) {
  /** An edit may find nothing to replace: then it is refused, and has no receipt with a file. */
  const edit = () => {
    const path = NAMES[roll(NAMES.length)] ?? "a";
    const replaced = { path, old_string: `${roll(5)}é`, new_string: `${roll(5)}ö`, replace_all: true };
    const written = { path, content: `${roll(5)}é\r\n`.repeat(roll(4)) };
    return roll(2) === 0 ? { name: "edit", args: replaced } : { name: "write", args: written };
  };
  return Array.from({ length: 1 + roll(4) }, () => Array.from({ length: 1 + roll(4) }, edit));
}

test("/undo over random turns brings back the exact bytes of each turn before, down to the first", async () => {
  for (let seed = 1; seed <= 25; seed++) {
    const turns = randomTurns(dice(seed));
    const script = turns.flatMap((each) => [
      { call: each.map(({ name, args }, at) => call(`c${at}`, name, args)) },
      { say: "Done." },
    ]);
    await using scene = await openScene({ direct: script });
    const { runtime, cwd } = scene;
    writeFileSync(join(cwd, "a"), Buffer.from([0, 255, 13]));
    const look = () =>
      NAMES.map((name) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name)).toString("hex") : null));
    const states = [look()];
    for (const _ of turns) {
      await runtime.run("go");
      states.push(look());
    }
    for (const state of states.slice(0, -1).toReversed()) {
      await runtime.processInput("/undo");
      expect([seed, look()]).toEqual([seed, state]);
    }
  }
});

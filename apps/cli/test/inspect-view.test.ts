import type { CommandHost } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import type { AgentEvent } from "@smith/contract/event";
import type { Inspected } from "@smith/contract/inspect";
import { createTheme, type Screen } from "@smith/terminal";
import { expect, test } from "vitest";
import { viewInspect } from "../src/shell/inspect-view.ts";

const grown = { type: "turn_persisted" } as AgentEvent;
const r = { type: "text", text: "r" } as const;

const listOf = (...texts: readonly string[]): Inspected => ({
  conversation: { id: "c1" } as Partial<Inspected["conversation"]> as Inspected["conversation"],
  rows: texts.map((content, at) => ({
    ...{ seq: at + 1, undone: false, takes: [at + 1] },
    message: { role: "user", content, round: 0, ts: 0, turn_id: `t${at + 1}` },
  })),
  unreadable: 0,
  last_change: null,
});

const busy = new AgentError({ kind: "persistence", code: "store_busy", message: "The store is busy; try again." });

/** A view on a store that answers each reading when it is told to. */
async function scene() {
  const readings: ((answer: Inspected | Error) => void)[] = [];
  const inspect = {
    read: () =>
      new Promise<Inspected>((resolve, reject) => {
        readings.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      }),
  } as CommandHost["inspect"];
  const screen = { size: () => ({ columns: 80, rows: 6 }) } as Screen;
  const theme = createTheme({ colour: false, kind: "none" });
  const make = viewInspect({
    look: { screen, theme, unicode: true, graphics: () => false },
    ...{ host: { inspect }, news: () => "", copy: () => {}, edit: async () => null },
  });
  const making = make(
    () => {},
    () => {},
  );
  readings[0]?.(listOf("one"));
  const view = await making;
  return {
    view,
    asked: () => readings.length,
    /** Answers a reading, and waits until that was taken in. */
    async answer(at: number, answer: Inspected | Error) {
      readings[at]?.(answer);
      await new Promise((resolve) => setImmediate(resolve));
    },
    shown: () => view.rows().join("\n"),
    async pressR() {
      view.onKey(r);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("U13 a store that can't be read is told in the view's last row, what is shown stays, and the next try reads it", async () => {
  const { answer, pressR, shown } = await scene();
  await pressR();
  await answer(1, busy);
  expect(shown()).toMatch(/one[\s\S]*The store is busy; try again\./);
  await pressR();
  await answer(2, listOf("one", "two"));
  expect(shown()).toMatch(/one[\s\S]*two/);
  expect(shown()).not.toContain("busy");
});

test("U13 as the session grows it is read one time after the other, once for all that came meanwhile, and the newest reading stays", async () => {
  const { view, asked, answer, pressR, shown } = await scene();
  for (let n = 0; n < 50; n++) view.onEvent(grown);
  expect(asked()).toBe(2);
  await answer(1, listOf("one", "two"));
  expect(asked()).toBe(3);
  await pressR();
  await answer(3, listOf("one", "two", "three"));
  await answer(2, listOf("one"));
  expect([asked(), /three/.test(shown())]).toEqual([4, true]);
  view.onEvent(grown);
  await answer(4, busy);
  view.onEvent(grown);
  expect([asked(), /three/.test(shown())]).toEqual([6, true]);
});

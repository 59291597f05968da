/**
 * A process of its own for the tests: `node program.mjs <what> <file> <id>`. It prints lines of JSON. With `START_AT` (ms
 * since the epoch) it opens the file at that moment, so that several do it together.
 */
import { writeSync } from "node:fs";
import type { Store } from "@smith/contract/store";
import type { Notice } from "@smith/contract/turn";
import { openStore } from "@smith/store";
import { answers, asks, closing, NOW, opening, receipt, says } from "./example.ts";

const [what = "", file = "", id = ""] = process.argv.slice(2);
const print = (value: unknown) => void writeSync(1, `${JSON.stringify(value)}\n`);

const programs: Record<string, (store: Store, notices: readonly Notice[]) => Promise<void>> = {
  open: async (store, notices) => print({ notices, patch: await store.config.patch() }),

  play: async (store, notices) => {
    const turn = await store.turn.open(opening(id));
    for (let round = 1; round <= 3; round++) {
      await turn.append(asks(`c${round}`, { round }));
      await turn.append(answers(`c${round}`, { round, content: "x".repeat(200_000) }));
    }
    await turn.append(says("done", { round: 4 }));
    await turn.close(closing());
    print({ notices, messages: (await store.conversation.messages(id)).messages.length });
  },

  loop: async (store) => {
    for (let n = 1; ; n++) {
      const turn = await store.turn.open(opening(id));
      for (let round = 1; round <= 3; round++)
        await turn.append(says(`${n}.${round}`, { round, turn_id: turn.turn_id }));
      await turn.close(closing());
      print(turn.turn_id);
    }
  },

  hang: async (store) => {
    const turn = await store.turn.open(opening(id));
    await turn.append(asks("c1"));
    await turn.append(answers("c1"), [receipt(1)]);
    await turn.append(asks("c2", { round: 2 }));
    await turn.intend({ call_id: "c2", tool: "bash", args_hash: "00", files_before: null, ts: NOW });
    print(process.pid);
    await forever();
  },

  stream: async (store) => {
    const turn = await store.turn.open(opening(id));
    await turn.partial("The fault is");
    await turn.partial("The fault is in line");
    print(process.pid);
    await forever();
  },

  fill: async (store) => {
    const turn = await store.turn.open(opening(id));
    let written = 0;
    try {
      for (; written < 1_000; written++) await turn.append(says("x".repeat(50_000)));
    } catch (error) {
      print({ error, written, messages: (await store.conversation.messages(id)).messages.length });
    }
  },
};

const forever = () => new Promise<void>(() => setInterval(() => {}, 60_000));

async function main(): Promise<void> {
  const startAt = Number(process.env["START_AT"] ?? 0);
  if (startAt > 0) {
    await (await openStore({ file: null, now: () => NOW })).store.close(); // everything is loaded
    await new Promise((resolve) => setTimeout(resolve, startAt - Date.now()));
  }
  const { store, notices } = await openStore({ file, now: () => NOW });
  await programs[what]?.(store, notices);
  await store.close();
}

main().catch((error: unknown) => {
  print({ error });
  process.exitCode = 1;
});

import { expect, test } from "vitest";
import { blindWatch, type Changes, createReceiptBook } from "../src/index.ts";

const facts = (call_id: string, changes: Promise<Changes> | null = null) => ({
  ...{ call_id, tool: "bash", args_hash: "00", started_at: 1, ended_at: 2, ok: true, cancelled: false },
  ...{ exit_code: 0, mutation_state: "attempted" as const, output: "", files: [], changes },
});

test("a receipt is handed out once, with its own call, and once more when more is known of it", async () => {
  const book = createReceiptBook({
    ...{ job_id: null, watch: blindWatch("no tree"), hashText: String },
    keep: async () => null,
  });
  let tell = (_changes: Changes) => {};
  const changes = new Promise<Changes>((resolve) => {
    tell = resolve;
  });
  const ids = (taken: readonly { readonly receipt_id: string }[]) => taken.map(({ receipt_id }) => receipt_id);
  await book.add(facts("b")); // of calls side by side the later may end first
  await book.add(facts("a", changes));
  expect([ids(book.take("a")), ids(book.take("a")), ids(book.take("b"))]).toEqual([["r2"], [], ["r1"]]);
  tell({ changed: [{ path: "/f", shared: false }], why: null });
  await book.settled();
  await book.add(facts("c"));
  expect(book.take("d")).toMatchObject([{ receipt_id: "r2", changed_during: [{ path: "/f", shared: false }] }]);
  expect([ids(book.rest()), ids(book.rest()), ids(book.list())]).toEqual([["r3"], [], ["r1", "r2", "r3"]]);
});

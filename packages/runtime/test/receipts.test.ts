import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createMemoryStore } from "@smith/testkit";
import { describe, expect, test } from "vitest";
import { asked, bash, bodyOf, call, dispatch, report, scene } from "./delegation-scene.ts";
import { commitAll, FILES, writeFiles } from "./evidence-scene.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
const contents = (messages: readonly { readonly role: string; readonly content: unknown }[]): readonly string[] =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));

describe("receipts", () => {
  test("each call that reached a handler has one, written with its message; a refused call has none", async () => {
    const { runtime, cwd } = await scene({
      direct: [
        {
          call: [
            bash("a", "echo hi > new.txt; echo done; exit 3"),
            call("b", "unknown"),
            call("c", "read", { path: "src/other.ts" }),
          ],
        },
        { say: "Done." },
      ],
    });
    writeFiles(cwd, FILES);
    commitAll(cwd);
    const { conversation_id, turn_id, tool_calls } = await runtime.run("go");
    const { persistence } = (await runtime.start()).services;
    const receipts = await persistence.receipt.list(conversation_id, turn_id);
    expect([tool_calls, receipts.map(({ receipt_id, tool }) => [receipt_id, tool])]).toEqual([
      2,
      [
        ["r1", "bash"],
        ["r2", "read"],
      ],
    ]);
    const output = "done\n[exit 3]";
    expect(receipts[0]).toEqual({
      ...{ receipt_id: "r1", job_id: null, call_id: "a", tool: "bash", args_hash: receipts[0]?.args_hash },
      ...{ started_at: receipts[0]?.started_at, ended_at: receipts[0]?.ended_at, ok: true, cancelled: false },
      ...{ exit_code: 3, output_hash: hash(output), output_bytes: output.length, output_key: hash(output), files: [] },
      ...{ changed_during: [{ path: `${cwd}/new.txt`, shared: false }], changed_unknown: null },
      mutation_state: "attempted",
    });
  });

  test("what an edit overwrites is kept under the hash that its receipt names; a new file has nothing before", async () => {
    const { runtime, cwd } = await scene({
      direct: [
        {
          call: [
            call("a", "edit", { path: "src/other.ts", old_string: "other = 1", new_string: "other = 2" }),
            call("b", "write", { path: "fresh.txt", content: "new" }),
          ],
        },
        { say: "Done." },
      ],
    });
    writeFiles(cwd, FILES);
    const before = FILES["src/other.ts"] ?? "";
    const { conversation_id, turn_id } = await runtime.run("go");
    const { persistence } = (await runtime.start()).services;
    const receipts = await persistence.receipt.list(conversation_id, turn_id);
    const [edited, fresh] = receipts.map(({ files }) => files[0]);
    expect([edited?.hash_before, fresh?.hash_before]).toEqual([hash(before), null]);
    const kept = await persistence.blob.get(edited?.hash_before ?? "");
    expect(Buffer.from(kept ?? []).toString()).toBe(before);
  });

  test("fault 166 B13 a named pipe as the target of write and edit is refused, and the turn goes on", async () => {
    const { runtime, cwd } = await scene({
      direct: [
        {
          call: [
            bash("a", "mkfifo pipe; ln -s /dev/zero zeros"),
            call("b", "write", { path: "pipe", content: "x" }),
            call("c", "edit", { path: "pipe", old_string: "x", new_string: "y" }),
            call("d", "write", { path: "zeros", content: "x" }),
            call("e", "write", { path: "fine", content: "x" }),
          ],
        },
        { say: "Done." },
      ],
    });
    const { messages } = await runtime.run("go");
    const codes = contents(messages).map((text) => /"code":"(\w+)"/.exec(text)?.[1] ?? text.split(" ")[0]);
    expect(codes).toEqual(["[exit", "not_regular", "not_regular", "path_escape", "created"]);
    expect(readFileSync(`${cwd}/fine`, "utf8")).toBe("x");
  });

  test("outside git nobody knows what a command changed, and the receipt says why", async () => {
    const { runtime } = await scene({ direct: [{ call: [bash("a", "true")] }, { say: "Done." }] });
    const { conversation_id, turn_id } = await runtime.run("go");
    const { persistence } = (await runtime.start()).services;
    const [receipt] = await persistence.receipt.list(conversation_id, turn_id);
    expect([receipt?.changed_during, receipt?.changed_unknown]).toEqual([null, "outside git"]);
  });

  test("in a child the last line of each result names its receipt, in a turn of the user's none does", async () => {
    const { runtime, llm } = await scene({
      direct: [{ call: [bash("a", "echo one"), dispatch("d", "worker")] }, { say: "Done." }],
      worker: [{ call: [bash("x", "echo two"), call("y", "read", { path: "missing" })] }, { call: [report()] }],
    });
    await runtime.run("go");
    const [told, failed] = contents(bodyOf(asked(llm, "worker")[1]).messages);
    expect(told).toBe("two\n[exit 0]\n[receipt r1]");
    expect(failed).toMatch(/^\{"ok":false.*\}\n\[receipt r2\]$/);
    expect(contents(bodyOf(asked(llm, "direct")[1]).messages)[0]).toBe("one\n[exit 0]");
  });
});

describe("kept outputs", () => {
  const long = Array.from({ length: 9000 }, (_, at) => `line ${at + 1}`).join("\n");
  test("what bash cut is read again by line and recalled to the byte, in its turn and in a later one", async () => {
    const { runtime } = await scene({
      direct: [
        { call: [bash("a", "for i in $(seq 9000); do echo line $i; done")] },
        { call: [call("b", "read", { path: "output:r1", offset: 5000, limit: 2 })] },
        { say: "Done." },
        {
          call: [
            call("c", "recall", { key: "output/t1/r1" }),
            call("d", "read", { path: "output:t1/r1", offset: 9001 }),
          ],
        },
        { call: [call("e", "recall", { key: "output/t1/r1", offset: 20_000 })] },
        { say: "Done." },
      ],
    });
    const first = contents((await runtime.run("go")).messages);
    expect(first[0]).toMatch(/characters omitted/);
    const whole = `${long}\n[exit 0]`;
    expect(first[1]).toBe(
      `output:r1 · 9001 lines · hash ${hash(whole)}\n5000│line 5000\n5001│line 5001\n[lines 5000-5001 of 9001; continue with offset 5002]`,
    );
    const second = contents((await runtime.run("again")).messages);
    expect(second[0]?.slice(0, 20_000)).toBe(whole.slice(0, 20_000));
    expect(second[1]?.split("\n").at(-1)).toBe("9001│[exit 0]");
    expect(second[2]?.slice(0, 20_000)).toBe(whole.slice(20_000, 40_000));
  });

  test("a receipt that is not there is not found, an output that is gone has expired", async () => {
    const store = createMemoryStore();
    const persistence = { ...store, blob: { ...store.blob, get: async () => null } };
    const asks = [
      call("b", "read", { path: "output:r9" }),
      call("c", "read", { path: "output:t7/r1" }),
      call("d", "read", { path: "output:r1" }),
      call("e", "recall", { key: "output/t1/r1" }),
    ];
    const { runtime } = await scene(
      { direct: [{ call: [bash("a", "echo one")] }, { call: asks }, { say: "Done." }] },
      { service_handles: { persistence } },
    );
    const [, ...answers] = contents((await runtime.run("go")).messages);
    const codes = answers.map((text) => (JSON.parse(text) as { error: { code: string } }).error.code);
    expect(codes).toEqual(["not_found", "not_found", "expired", "expired"]);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { call, scene } from "./delegation-scene.ts";

const outputs = (messages: readonly { readonly role: string; readonly content: unknown }[]): readonly string[] =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));

const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);
const begin = (id: string, command: string) => call(id, "bash", { command, background: true });
const look = (id: string, job: string) => call(id, "bash", { job, action: "output" });

test.skipIf(process.platform !== "linux")(
  "TL15 promise P4 a background command outlives its turn and a change of the configuration, /jobs lists it, and the end of the session ends it",
  async () => {
    const command = "echo $$; until [ -e go ]; do sleep 0.02; done; echo on; touch gone; exec sleep 60";
    const { runtime } = await scene({
      direct: [
        { call: [begin("a", command), begin("b", "sleep 60")] },
        { say: "Begun." },
        {
          call: [call("c", "bash", { command: "touch go; until [ -e gone ]; do sleep 0.02; done" }), look("d", "bg1")],
        },
        { call: [call("e", "bash", { job: "bg2", action: "kill" })] },
        { say: "Done." },
      ],
    });
    expect(outputs((await runtime.run("go")).messages)).toEqual(["bg1", "bg2"]);
    await runtime.processInput("/config set services.tool.bash.timeout_s 77");
    const [, told, killed] = outputs((await runtime.run("again")).messages);
    const [, pid] = /^(\d+)\non\n\[running\]$/.exec(told ?? "") ?? [];
    expect([isThere(Number(pid)), killed]).toEqual([true, "[killed]"]);
    const listed = await runtime.processInput("/jobs");
    expect(listed.kind === "command" && listed.answer.say.replace(/\d+\.\d s/g, "T s")).toBe(
      `bg1  bash      running           T s  ${command.slice(0, 59)}…\nbg2  bash      killed            T s  sleep 60`,
    );
    await runtime.close();
    await vi.waitUntil(() => !isThere(Number(pid)), { interval: 5 }); // it has ended; its parent still has to ask how
  },
);

test.skipIf(process.platform !== "linux")(
  "TL15 promise P4 a cancelled turn leaves none of its background commands",
  async () => {
    const { runtime, cwd } = await scene({
      direct: [{ call: [begin("a", "echo $$ > pid; exec sleep 60"), call("b", "bash", { command: "sleep 60" })] }],
    });
    const running = runtime.run("go");
    await vi.waitUntil(() => existsSync(`${cwd}/pid`) && readFileSync(`${cwd}/pid`, "utf8").endsWith("\n"), {
      interval: 5,
    });
    const pid = Number(readFileSync(`${cwd}/pid`, "utf8"));
    await runtime.cancel("ctrl-c");
    expect((await running).stop_reason).toBe("cancelled");
    await vi.waitUntil(() => !isThere(pid), { interval: 5 });
  },
);

test("TL15 /jobs says when there is nothing to list", async () => {
  const { runtime } = await scene({ direct: [] });
  const listed = await runtime.processInput("/jobs");
  expect(listed.kind === "command" && listed.answer.say).toBe(
    "No job was handed out yet, and no command runs in the background.",
  );
});

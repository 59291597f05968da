import { tmpdir } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCommandGround } from "../src/index.ts";
import { isRunning } from "./scene.ts";

test("a program that may not be ended and does not leave is given up, and so is whoever waits for its end", async () => {
  const { processes } = createCommandGround();
  let pid = 0;
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error("kill EPERM"), { code: "EPERM" }); // it has become another user's, as behind sudo
  });
  onTestFinished(async () => {
    kill.mockRestore();
    process.kill(pid, "SIGKILL");
    await processes.dispose();
  });
  let onPid = (_text: string): void => {};
  const told = new Promise<string>((resolve) => {
    onPid = resolve;
  });
  const program = await processes.open({
    ...{ program: "bash", args: ["-c", "echo $$; exec sleep 60"], cwd: tmpdir(), env: process.env, label: "t" },
    onOutput: (bytes) => onPid(Buffer.from(bytes).toString()),
    onErrors() {},
  });
  pid = Number(await told);
  await program.close();
  expect(await program.ended).toEqual({ exit_code: null, exit_signal: null });
  expect(isRunning(pid)).toBe(true);
});

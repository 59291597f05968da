import { childRunnerSuite } from "@smith/testkit/suites";
import { createRuntime, type Runtime, type Started } from "../src/index.ts";
import { createJobRunner } from "../src/jobs.ts";
import type { TurnWorld } from "../src/world.ts";
import { folders } from "./delegation-scene.ts";

/** The runner that a runtime's dispatch tool hands its jobs to. */
async function runnerOf(runtime: Runtime) {
  const { world } = (await runtime.start()) as Started & { world: TurnWorld };
  return createJobRunner(() => world);
}

childRunnerSuite("the local runner", async ({ api_url, timeout_s }) => {
  const { cwd, database, remove } = folders();
  const runtimes: Runtime[] = [];
  const open = () => {
    const runtime = createRuntime({
      ...{ cwd: () => cwd, database, env: { PATH: process.env["PATH"] } },
      config: {
        llm_config: { api_url, retry_max_retries: 0 },
        ...{ empty_response_retry_max_retries: 0, default_model: "scripted", services: { dispatch: { timeout_s } } },
      },
    });
    runtimes.push(runtime);
    return runnerOf(runtime);
  };
  return {
    runner: await open(),
    cwd,
    second: open,
    async dispose() {
      for (const runtime of runtimes) await runtime.close();
      remove();
    },
  };
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort } from "@smith/testkit";
import { expect, test } from "vitest";
import { has, model, place } from "./scene.ts";

const curl = async (...args: string[]) => (await promisify(execFile)("curl", ["-s", ...args])).stdout;

test.skipIf(!has("curl"))("G1 G8 G9 G21: smith gateway answers curl, and ends well on SIGTERM", async () => {
  const llm = await model([{ say: "Hello." }]);
  const port = await freePort();
  const here = place({ config: llm.config });
  const run = here.smith(["gateway"], { env: { SMITH_GATEWAY_PORT: String(port) } });
  await run.printed("listening on");
  const url = `http://127.0.0.1:${port}`;
  expect(await curl(`${url}/health`)).toBe('{"status":"ok"}');
  const { reply, usage } = JSON.parse(await curl(`${url}/message`, "-d", '{"text": "hi", "chat_id": "me"}'));
  expect([reply, usage.output_tokens > 0]).toEqual(["Hello.", true]);
  run.kill("SIGTERM");
  const { code, stdout, stderr } = await run.ended;
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).not.toMatch(/internal error|Warning/);
  const { stdout: list } = await here.run(["sessions", "list"]);
  expect(list).toContain("gw:webhook:me");
});

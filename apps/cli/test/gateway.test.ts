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

test("G1 G12 G13 G19: what can't run is one line that says the mend, exit code 2", async () => {
  const llm = await model([]);
  const here = place({ config: { ...llm.config, gateway: { bind: "0.0.0.0" } } });
  const end = async (args: readonly string[], env = {}) => {
    const { code, stderr } = await here.run(["gateway", ...args], { env });
    return [code, stderr.trim().split("\n").at(-1)];
  };
  expect(await end([])).toEqual([
    2,
    "smith: The webhook would listen on 0.0.0.0, where others can reach it, and SMITH_GATEWAY_TOKEN is not set. Set a token, or bind 127.0.0.1.",
  ]);
  expect(await end(["irc"])).toEqual([
    2,
    "smith: There is no platform irc. There are: webhook, telegram, discord, twitch.",
  ]);
  const bare = await place().run(["gateway"]);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("no model is set")]);
});

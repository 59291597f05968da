import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "@smith/testkit";
import { expect, onTestFinished, test } from "vitest";

const APP = resolve(import.meta.dirname, "..");

/** Starts the program in a home of its own. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), "smith-gateway-app-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(APP, "dist", "smith-gateway.js"), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, SMITH_HOME: home, SMITH_NO_PROBE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text }));
  return { child, ended, text: () => text };
}

test("G1 G21 smith-gateway answers, ends well on Ctrl-C, and refuses what it does not know", async () => {
  execFileSync(process.execPath, [join(APP, "build.mjs")]);
  const port = await freePort();
  const gateway = start([], { SMITH_GATEWAY_PORT: String(port), SMITH_FALLBACK: "demo" });
  await expect.poll(gateway.text, { timeout: 20_000 }).toContain("listening on");
  const init = { method: "POST", body: '{"text": "hello"}' };
  const answer = (await (await fetch(`http://127.0.0.1:${port}/message`, init)).json()) as { reply: string };
  expect(answer.reply).toContain("demo");
  gateway.child.kill("SIGINT");
  expect((await gateway.ended).code).toBe(0);

  const unknown = await start(["irc"], {}).ended;
  expect(unknown).toEqual({
    code: 2,
    text: 'smith-gateway: There is no platform "irc". There are: webhook, telegram, discord, twitch.\n',
  });
});

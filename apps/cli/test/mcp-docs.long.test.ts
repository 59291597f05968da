import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { SMITH } from "./built.ts";
import { MARK, markedPids } from "./left-behind.ts";
import { kill } from "./running.ts";
import { model, place } from "./scene.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/MCP.md"), "utf8");

interface Block {
  readonly kind: string;
  /** The file that it is; empty for a console. */
  readonly file: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = "", file = "", text = ""]) => ({ kind, file, text }),
);

/** The commands of a console block, each with what it prints. */
const commandsOf = (text: string) =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((each) => {
      const [command = "", ...output] = each.split("\n");
      return { command, output: output.join("\n") };
    });

test("X1 PL15 every block of docs/MCP.md does in an empty folder what the page says", async () => {
  const here = place();
  const llm = await model([
    { call: [{ id: "c", name: "mcp__hello__greet", args: { name: "Ada" } }] },
    {
      say: "Hello, Ada!",
      expect: ({ body }) => {
        const last = (body as { messages: { content: string }[] }).messages.at(-1);
        if (last?.content !== "Hello, Ada!") throw new Error(`the tool answered ${last?.content}`);
      },
    },
  ]);
  const bin = join(here.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "smith"), `#!/bin/sh\nexec "${process.execPath}" "${SMITH}" "$@"\n`);
  chmodSync(join(bin, "smith"), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: here.home, SMITH_NO_PROBE: "1" };
  // The model is the reader's own: an endpoint by the variables that Smith looks for.
  const own = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: llm.url, SMITH_MODEL: "scripted" };
  const mark = randomBytes(8).toString("hex");
  onTestFinished(() => {
    for (const pid of markedPids(mark)) kill(pid, "SIGKILL");
  });
  const told: string[] = [];
  for (const { kind, file, text } of BLOCKS) {
    if (kind !== "console") {
      const path = file.startsWith("~/") ? join(here.home, file.slice(2)) : join(here.cwd, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      continue;
    }
    for (const { command, output } of commandsOf(text)) {
      const line = command.endsWith("&")
        ? `${command.replace(/&$/, "")} >up 2>&1 & until grep -qs . up; do :; done`
        : command;
      const { stdout } = await promisify(execFile)("bash", ["-c", `{ ${line}; } </dev/null`], {
        cwd: here.cwd,
        env: { ...env, ...own, [MARK]: mark },
      });
      told.push(command);
      expect([command, stdout]).toEqual([command, output]);
    }
  }
  expect(told.length).toBe(6);
  expect(BLOCKS.length).toBe(7);
});

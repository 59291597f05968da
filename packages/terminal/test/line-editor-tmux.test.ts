import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.log("skipped: the line editor in a real terminal (tmux is not installed)");

const folder = mkdtempSync(join(tmpdir(), "smith-editor-"));
const socket = join(folder, "tmux.sock");
const tmux = (...args: string[]) =>
  execFileSync("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });

beforeAll(async () => {
  if (!hasTmux) return;
  const bundle = join(folder, "harness.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("support/harness.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@smith/source"],
    external: ["marked", "marked-terminal", "cli-highlight"],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: "silent",
  });
  const shell = `'${process.execPath}' '${bundle}'; stty -a > '${join(folder, "stty")}'; echo done; exec cat`;
  tmux("new-session", "-d", "-x", "20", "-y", "10", shell);
});

afterAll(() => {
  if (hasTmux) spawnSync("tmux", ["-S", socket, "kill-server"]);
  rmSync(folder, { recursive: true, force: true });
});

const screenText = () =>
  tmux("capture-pane", "-p", "-S", `-${history}`)
    .split("\n")
    .map((line) => line.trimEnd());
/** Rows that scrolled away and are looked at too: a terminal that breaks its lines anew may push some out of view. */
let history = 100;
const cursor = () => tmux("display-message", "-p", "#{cursor_x},#{cursor_y},#{cursor_flag}").trim();
const type = (text: string) => tmux("send-keys", "-l", text);
const press = (...names: string[]) => tmux("send-keys", ...names);

/** The rows in view without empty ones at the end, once they are these. */
async function see(...rows: string[]): Promise<void> {
  const deadline = performance.now() + 8000;
  for (;;) {
    const seen = screenText();
    while (seen.at(-1) === "") seen.pop();
    if (seen.join("\n") === rows.join("\n") || performance.now() > deadline) return expect(seen).toEqual(rows);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const hashOf = (text: string) => `${text.length} ${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;

test.skipIf(!hasTmux)(
  "U35 B66 in a real terminal keys, wide characters, completion, a 1 MB paste and a resize do what they should",
  async () => {
    await see("-- idle --", ">");
    type("你好ab");
    await see("-- idle --", "> 你好ab");
    expect(cursor()).toBe("8,1,1");
    press("Left", "Left");
    type("X");
    await see("-- idle --", "> 你好Xab");
    expect(cursor()).toBe("7,1,1");
    press("Enter");
    const first = hashOf("你好Xab");
    await see(first, "-- idle --", ">");

    press("Up", "Up");
    await see(first, "-- idle --", "> 你好 again");
    press("C-u");
    type("/li");
    press("Tab");
    await see(first, "-- idle --", "> /list");
    press("Tab");
    await see(first, "-- idle --", "> /list", "/list    /listen");
    press("C-c");
    type("你".repeat(10));
    press("M-Enter");
    type("two");
    await see(first, "-- idle --", `> ${"你".repeat(9)}`, "你", "  two");
    tmux("resize-window", "-x", "12", "-y", "10");
    await see(first, "-- idle --", `> ${"你".repeat(5)}`, "你".repeat(5), "  two");
    tmux("resize-window", "-x", "30", "-y", "10");
    await see(first, "-- idle --", `> ${"你".repeat(10)}`, "  two");
    press("C-c");
    press("Escape");
    await see(first, "escape", "-- idle --", ">");
    press("M-h");
    await see(first, "escape", "key alt-h", "-- idle --", ">");
    history = 0; // clearing puts what was in view there
    press("C-l");
    await see("-- idle --", ">");

    const text = "a line  of\ttext, 你好 and more\n".repeat(30_000);
    writeFileSync(join(folder, "paste"), text);
    tmux("load-buffer", join(folder, "paste"));
    tmux("paste-buffer", "-p");
    await see("-- idle --", "> [pasted 30,000 lines]");
    press("Enter");
    await see(hashOf(text), "-- idle --", ">");

    press("C-d");
    await see(hashOf(text), "left", "done");
    const modes = readFileSync(join(folder, "stty"), "utf8").split(/[\s;]+/);
    expect(["icanon", "echo", "isig", "icrnl"].map((mode) => modes.includes(mode))).toEqual([true, true, true, true]);
    expect(cursor()).toMatch(/,1$/);
  },
);

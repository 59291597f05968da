import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Running } from "./running.ts";
import { conversationIn, has, model, type Place, place } from "./scene.ts";

interface Body {
  readonly temperature?: number;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

describe("the line shell on pipes", () => {
  test("U20 /model names the model of the next turn before the first one, and after the configuration changed", async () => {
    const llm = await model([]);
    const stdin = "/model\n/config set default_model other\n/model\n/provider\n";
    const { stdout, stderr } = await place({ config: llm.config }).run([], { stdin });
    const said = stdout.split("\n").filter((line) => line.startsWith("model "));
    expect([said, stderr.includes("No model")]).toEqual([
      ["model scripted of default (default)", "model other of default (default)", "model other of default (default)"],
      false,
    ]);
  });

  test("U38 B70 fault 215 each line is answered in order on stdout: no prompt, no echo, no escape; the end of stdin leaves with 0", async () => {
    const llm = await model([{ say: "First." }, { say: "Second.\n" }]);
    const { code, stdout, stderr } = await place({ config: llm.config }).run([], { stdin: "one\n\n   \n/mode\ntwo" });
    expect([code, stdout, stderr]).toEqual([0, "First.\nmode full (full, ask, plan)\nSecond.\n", ""]);
    expect(conversationIn(llm.requests[1]).map(({ content }) => content)).toEqual(["one", "First.", "two"]);
  });

  test("/undo takes the file back that the turn wrote, and the next line is asked without it", async () => {
    const call = { id: "c", name: "write", args: { path: "made.txt", content: "x" } };
    const llm = await model([{ call: [call] }, { say: "Made." }, { say: "Again." }]);
    const here = place({ config: llm.config });
    const { code, stdout } = await here.run([], { stdin: "one\n/undo\ntwo\n" });
    const path = join(here.cwd, "made.txt");
    expect([code, existsSync(path)]).toEqual([0, false]);
    expect(stdout).toMatch(
      /^Made\.\nundone: t1\n {2}removed \S+made\.txt \(what it held: blob [0-9a-f]{16}\)\nAgain\.\n$/,
    );
    expect(conversationIn(llm.requests.at(-1)).map(({ content }) => content)).toEqual(["two"]);
  });

  test("B70 with nothing to read it ends by itself", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    for (const options of [{}, { stdin: "" }, { stdin: "\n \n" }]) {
      const { code, stdout, stderr } = await here.run([], options);
      expect([code, stdout, stderr]).toEqual([0, "", ""]);
    }
    const withoutModel = await place().run([]);
    expect([withoutModel.code, withoutModel.stdout]).toEqual([0, ""]);
  });

  test("U38 K2 the exit code is that of the last turn", async () => {
    const refused = { status: 400, body: { error: { message: "no" } } };
    const llm = await model([{ say: "fine" }, refused, refused, { say: "fine again" }]);
    const here = place({ config: llm.config });
    const failed = await here.run([], { stdin: "a\nb\n" });
    const mended = await here.run([], { stdin: "a\nb\n" });
    expect([failed.code, failed.stdout, mended.code, mended.stdout]).toEqual([1, "fine\n", 0, "fine again\n"]);
    const withoutModel = await place().run([], { stdin: "hi\n" });
    expect([withoutModel.code, withoutModel.stdout]).toEqual([2, ""]);
    expect(withoutModel.stderr).toContain("Three ways to set one");
  });

  test("U24 /exit, /quit and /q leave with 0, and what stands after them is not read", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    for (const word of ["/exit", "/quit", "/q"]) {
      const { code, stdout } = await here.run([], { stdin: `${word}\nhello\n` });
      expect([word, code, stdout]).toEqual([word, 0, ""]);
    }
  });

  test("B64 an unknown command is told on stderr and the shell goes on; a path is a question", async () => {
    const llm = await model([{ say: "Install it." }]);
    const lines = "/hlep\n /mode plan\n/usr/lib/libfoo.so is missing, why?\n";
    const { code, stdout, stderr } = await place({ config: llm.config }).run([], { stdin: lines });
    expect([code, stdout]).toEqual([0, "mode plan, from the next turn on.\nInstall it.\n"]);
    expect(stderr.split("\n")).toEqual([
      "unknown command /hlep. Did you mean /help? /help lists them.",
      'smith: Mode plan: nothing was changed. "/mode full", then "carry it out", does what was planned.',
      "",
    ]);
    expect(conversationIn(llm.requests[0]).map(({ content }) => content)).toEqual([
      "/usr/lib/libfoo.so is missing, why?",
    ]);
  });

  test("C21 C14 P12 /config set and /role change the next request, and what was set is there after a restart", async () => {
    const llm = await model([{ say: "1" }, { say: "2" }, { say: "3" }]);
    const here = place({ config: llm.config });
    const lines = [
      "one",
      "/config set temperature 0.5",
      "/config set active_role orchestrator",
      "/config set nope 1",
      "two",
    ];
    const first = await here.run([], { stdin: `${lines.join("\n")}\n` });
    expect([first.code, first.stdout]).toEqual([
      0,
      '1\ntemperature = 0.5, from the next turn on.\nactive_role = "orchestrator", from the next turn on.\n2\n',
    ]);
    await here.run([], { stdin: "three\n" });
    const bodies = llm.requests.map(({ body, role }) => {
      const { temperature, tools = [] } = body as Body;
      return [temperature, role, tools.some((tool) => tool.function.name === "bash")];
    });
    expect(bodies).toEqual([
      [undefined, "direct", true],
      [0.5, "orchestrator", false],
      [0.5, "orchestrator", false],
    ]);
  });

  test("U16 /new begins a conversation of its own", async () => {
    const llm = await model([{ say: "1" }, { say: "2" }]);
    await place({ config: llm.config }).run([], { stdin: "one\n/new\ntwo\n" });
    expect(llm.requests.map((request) => conversationIn(request).length)).toEqual([1, 1]);
  });

  test("C29 B62 a broken configuration ends the shell before its first line, and stays as it is", async () => {
    const text = '{ "default_model": "m" "x": 1 }';
    const here = place({ config: text });
    const { code, stdout, stderr } = await here.run([], { stdin: "/config set default_model m2\n" });
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      `smith: ${here.home}/config.json:1:24: comma expected at "\\"x\\"". Mend the JSON there.\n`,
    ]);
  });
});

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Runs smith in a pseudo-terminal that `script` makes; what is typed is written to its stdin. */
const IN_A_TERMINAL = `
  const [smith, ...args] = process.argv.slice(1);
  const command = [process.execPath, smith, ...args].map((word) => "'" + word + "'").join(" ");
  require("node:child_process").spawn("script", ["-qfec", command, "/dev/null"], { stdio: "inherit" })
    .on("exit", (code) => process.exit(code));
`;

interface Terminal extends Running {
  type(keys: string): void;
}

async function terminal(here: Place, args: readonly string[] = []): Promise<Terminal> {
  const running = here.smith(args, { stdin: { open: true }, node: ["-e", IN_A_TERMINAL], env: { TERM: "xterm" } });
  await running.printed("▸");
  return { ...running, type: (keys) => void running.child.stdin?.write(keys) };
}

/** Resolves when a file of this name is there. */
async function appeared(folder: string, name: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    look();
  });
}

describe.skipIf(!has("script"))("the shell in a terminal (skipped where there is no script)", () => {
  test("K3 K8 it says which model answers, shows its prompt, streams a turn, and Ctrl-D leaves with 0", async () => {
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const pieces = async function* () {
      const chunk = (text: string) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;
      yield chunk("The first half, ");
      await after;
      yield chunk("the second half.");
      yield `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
    };
    const llm = await model([{ raw: pieces() }]);
    const shell = await terminal(place({ config: llm.config }));
    shell.type("hello\r");
    await shell.printed("The first half, "); // before the second was sent
    release();
    await shell.printed("the second half.");
    shell.type(CTRL_D);
    const { code, stdout } = await shell.ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`smith: scripted at ${llm.url} (default_model).`);
    expect(conversationIn(llm.requests[0]).map(({ content }) => content)).toEqual(["hello"]);
  });

  test("T24 Ctrl-C cancels a running bash with all it started, and the shell goes on", async () => {
    const command = "touch started; sleep 600 & sleep 600; touch finished";
    const llm = await model([{ call: [{ id: "c1", name: "bash", args: { command } }] }, { say: "Still here." }]);
    const here = place({ config: llm.config });
    const shell = await terminal(here);
    shell.type("run it\r");
    await appeared(here.cwd, "started");
    shell.type(CTRL_C);
    await shell.printed("cancelled");
    shell.type("are you there?\r");
    await shell.printed("Still here.");
    const sleepers = (await here.leftBehind()).filter((line) => line.includes("sleep"));
    shell.type(CTRL_D);
    expect([(await shell.ended).code, sleepers, existsSync(join(here.cwd, "finished"))]).toEqual([0, [], false]);
    const roles = conversationIn(llm.requests[1]).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("K2 Ctrl-C twice leaves at once with 130, and lines typed ahead are not played", async () => {
    const llm = await model([{ stall: true, say: "Thinking" }]);
    const shell = await terminal(place({ config: llm.config }));
    shell.type("one\r");
    await llm.received(1);
    shell.type("two\r");
    await shell.printed("⋯ two");
    shell.type(CTRL_C + CTRL_C);
    expect((await shell.ended).code).toBe(130);
    expect(llm.requests.length).toBe(1);
  });

  test("K2 when idle, Ctrl-C says that a second one leaves, and a second one does, with 130", async () => {
    const llm = await model([]);
    const shell = await terminal(place({ config: llm.config }));
    shell.type(CTRL_C);
    await shell.printed("(Ctrl-C again leaves, or Ctrl-D)");
    shell.type(CTRL_C);
    expect((await shell.ended).code).toBe(130);
  });

  test("T25 a line typed while a turn runs is answered next", async () => {
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const llm = await model([{ say: "Answer one.", after }, { say: "Answer two." }]);
    const shell = await terminal(place({ config: llm.config }));
    shell.type("one\r");
    await llm.received(1);
    shell.type("two\r");
    await shell.printed("⋯ two");
    release();
    await shell.printed("Answer two.");
    shell.type(CTRL_D);
    expect((await shell.ended).code).toBe(0);
    expect(conversationIn(llm.requests[1]).map(({ content }) => content)).toEqual(["one", "Answer one.", "two"]);
  });

  test("U24 the terminal is as it was before", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    const shell = await terminal(here);
    shell.type("/exit\r");
    const { code, stdout } = await shell.ended;
    const on = stdout.split("\u001b[?2004h").length;
    const off = stdout.split("\u001b[?2004l").length;
    expect([code, on <= off]).toEqual([0, true]);
  });
});

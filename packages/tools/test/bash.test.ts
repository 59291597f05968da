import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { isRunning, scene, until } from "./scene.ts";

describe.skipIf(process.platform !== "linux")("bash", () => {
  test("TL17 bash gives the output and ends with the exit code", async () => {
    const { run } = scene();
    expect(await run("bash", { command: "echo hello there" })).toEqual({
      ok: true,
      content: "hello there\n[exit 0]",
      exit_code: 0,
      metadata: { output_bytes: 12 },
    });
    expect((await run("bash", { command: "printf x" })).content).toBe("x\n[exit 0]");
    expect((await run("bash", { command: "true" })).content).toBe("[exit 0]");
  });

  test("TL17 both streams come interleaved in the order they were written", async () => {
    const { run } = scene();
    const command = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done";
    expect((await run("bash", { command })).content).toBe("o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n[exit 0]");
  });

  test("TL17 a command can write to /dev/stderr and /dev/stdout by name", async () => {
    const { run } = scene();
    const { content } = await run("bash", { command: "echo a > /dev/stderr; echo b | tee /dev/stdout" });
    expect(content).toBe("a\nb\nb\n[exit 0]");
  });

  test("fault 157 TL17 a non-zero exit is ok: true with the code, since the command ran", async () => {
    const { run } = scene();
    expect(await run("bash", { command: "nosuchcommand" })).toMatchObject({ ok: true, exit_code: 127 });
    expect((await run("bash", { command: "echo x; exit 3" })).content).toBe("x\n[exit 3]");
    expect((await run("bash", { command: "/etc/passwd" })).exit_code).toBe(126);
    expect((await run("bash", { command: "exit 200" })).content).toBe("[exit 200]");
  });

  test("fault 157 TL17 a shell that dies of a signal shows 128 + n and the signal's name", async () => {
    const { run } = scene();
    const outcome = await run("bash", { command: "echo x; kill -9 $$" });
    expect(outcome).toMatchObject({ ok: true, content: "x\n[exit 137, SIGKILL]", exit_code: 137 });
  });

  test("fault 144 TL15 TL16 a timeout ends the whole group and keeps the partial output", async () => {
    const { run } = scene();
    const started = performance.now();
    const outcome = await run("bash", { command: "echo part; sleep 60 & echo $!; sleep 60", timeout_s: 0.2 });
    expect(performance.now() - started).toBeLessThan(2000);
    const [, pid] = /^part\n(\d+)\n\[timeout after 0\.2 s\]$/.exec(outcome.content) ?? [];
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: "timeout",
        message:
          "The command was stopped after 0.2 s. Run it in parts, in the background or with a larger timeout_s (at most 600).",
      },
    });
    await until(() => !isRunning(Number(pid)));
  });

  test("fault 144 fault 160 TL16 a command deaf to SIGTERM is killed 200 ms later, with its output kept", async () => {
    const { run } = scene();
    const command = "trap 'echo deaf' TERM; echo $$; while :; do sleep 0.05; done";
    const outcome = await run("bash", { command, timeout_s: 0.2 });
    const [, pid] = /^(\d+)\n(?:.*\n)*deaf\n(?:.*\n)*\[timeout after 0\.2 s\]$/.exec(outcome.content) ?? [];
    await until(() => !isRunning(Number(pid)));
  });

  test("fault 146 TL16 a child that called setsid is found by its marker and ended too", async () => {
    const { run } = scene();
    const command = "setsid sh -c 'echo $$; exec sleep 60' & sleep 60";
    const outcome = await run("bash", { command, timeout_s: 0.4 });
    const [, pid] = /^(\d+)\n\[timeout/.exec(outcome.content) ?? [];
    await until(() => !isRunning(Number(pid)));
  });

  test("fault 146 fault 147 TL16 a daemon that forked twice, left session and parent, is found and ended", async () => {
    const { run, path } = scene();
    const daemon = `(setsid nohup sh -c '(echo $$ > /dev/null; cd /; exec sleep 60) & echo $! > ${path("pid")}' >/dev/null 2>&1 &)`;
    const running = run("bash", {
      command: `${daemon}; until [ -s ${path("pid")} ]; do sleep 0.01; done; cat ${path("pid")}; sleep 60`,
      timeout_s: 0.6,
    });
    const [pid] = /^\d+/.exec((await running).content) ?? [];
    await until(() => !isRunning(Number(pid)));
  });

  test("fault 155 B19 what asks the terminal behind standard input finds none", async () => {
    const { run } = scene();
    expect(
      (await run("bash", { command: "(exec 3</dev/tty) 2>/dev/null || echo none; [ -t 0 ] || echo no stdin" })).content,
    ).toBe("none\nno stdin\n[exit 0]");
  });

  test("TL15 TL16 a cancel ends the command within half a second, with the canceller's reason", async () => {
    const { run, cancel, path } = scene();
    const running = run("bash", { command: `echo begun; touch ${path("up")}; sleep 60 & sleep 60` });
    await until(() => existsSync(path("up")));
    const started = performance.now();
    cancel.request("ctrl-c");
    expect(await running).toMatchObject({
      ok: false,
      content: "begun\n[cancelled]",
      error: { kind: "cancelled", code: "cancelled", message: "ctrl-c" },
    });
    expect(performance.now() - started).toBeLessThan(500);
  });

  test("TL15 a call that is cancelled before it starts runs nothing", async () => {
    const { run, cancel, path } = scene();
    cancel.request("ctrl-c");
    expect(await run("bash", { command: `touch ${path("ran")}` })).toMatchObject({ ok: false, content: "[cancelled]" });
    expect(existsSync(path("ran"))).toBe(false);
  });

  test.each([
    ["sleep 30 & echo ready", "ready"],
    ["(while :; do echo t >/dev/null; sleep 0.2; done) & echo go", "go"],
    ["setsid sleep 30 & echo three", "three"],
  ])("fault 145 B17 `%s` returns at once, and the child lives until the session ends", async (command, said) => {
    const { run, dispose } = scene();
    const started = performance.now();
    const outcome = await run("bash", { command: `${command}; echo $!` });
    expect(performance.now() - started).toBeLessThan(1500);
    const [, word, pid] = /^(\w+)\n(\d+)\n\[exit 0\]$/.exec(outcome.content) ?? [];
    expect(word).toBe(said);
    expect(isRunning(Number(pid))).toBe(true);
    expect((await run("bash", { command: "echo next" })).content).toBe("next\n[exit 0]");
    await dispose();
    await until(() => !isRunning(Number(pid)));
  });

  test("B17 a background child that goes on writing does not die of a closed pipe", async () => {
    const { run, path, text } = scene();
    const command = `(for i in $(seq 12); do echo t; sleep 0.05; done; echo whole > ${path("end")}) & echo go`;
    expect((await run("bash", { command })).content).toMatch(/^(t\n)?go\n(t\n)*\[exit 0\]$/);
    await until(() => existsSync(path("end")) && text("end") === "whole\n");
  });

  test.each([
    ["cat", "[exit 0]"],
    ['read x; echo "[$x]"', "[]\n[exit 0]"],
  ])("fault 155 B19 `%s` finds its standard input closed and returns at once", async (command, content) => {
    const { run } = scene();
    expect((await run("bash", { command })).content).toBe(content);
  });

  test("fault 151 B21 TL15 one giant line keeps its head and tail around the count of what is missing", async () => {
    const { run } = scene();
    for (const [end, whole] of [
      ["; echo", 400_001],
      ["", 400_000],
    ] as const) {
      const { content } = await run("bash", { command: `head -c 400000 /dev/zero | tr "\\0" q${end}` });
      const [, head, omitted, tail] = /^(q+)\n\[… (\d+) characters omitted …\]\n(q+)\n\[exit 0\]$/.exec(content) ?? [];
      expect([head?.length, Number(omitted)]).toEqual([10_000, whole - 20_000]);
      expect(tail?.length).toBe(end === "" ? 10_000 : 9_999);
    }
  });

  test("TL15 exactly 20,000 characters pass uncut, one more does not", async () => {
    const { run } = scene();
    const long = (n: number) => run("bash", { command: `head -c ${n} /dev/zero | tr "\\0" q` });
    expect((await long(20_000)).content).toBe(`${"q".repeat(20_000)}\n[exit 0]`);
    expect((await long(20_001)).content).toContain("\n[… 1 characters omitted …]\n");
  });

  test("fault 150 TL15 a flood runs to its timeout in bounded memory", async () => {
    const { run } = scene();
    const before = process.memoryUsage().rss;
    const outcome = await run("bash", { command: "yes", timeout_s: 1 });
    expect(outcome.content).toMatch(/^(y\n){5000}\[… \d+ characters omitted …\]\n(y?\n)+(y\n)*\[timeout after 1 s\]$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  });

  test("fault 152 fault 154 TL17 escapes, C1 controls and NUL are taken out, and CRLF becomes LF", async () => {
    const { run } = scene();
    const shown = async (printf: string) => (await run("bash", { command: `printf '${printf}'` })).content;
    expect(await shown("\\033[1;31mred\\033[0m \\033]0;title\\007t\\033]8;;http://x\\033\\\\link\\n")).toBe(
      "red tlink\n[exit 0]",
    );
    expect(await shown("a\\0b\\r\\nc\\302\\233 1mz\\302\\205\\033(B\\n")).toBe("ab\ncz\n[exit 0]");
    expect(await shown("bell\\a b\\bs d\\177el tab\\t\\013\\014ff\\n")).toBe("bell bs del tab\tff\n[exit 0]");
    expect(await shown("\\033]0;never ended\\nnext\\r50%%\\r")).toBe("\nnext\r50%\r\n[exit 0]");
  });

  test("fault 153 TL17 a character or an escape that comes in two pieces is put together", async () => {
    const { run } = scene();
    const command =
      "printf '\\303'; sleep 0.05; printf '\\251\\033'; sleep 0.05; printf '[31mx\\r'; sleep 0.05; echo; printf '\\377'";
    expect((await run("bash", { command })).content).toBe("éx\n\ufffd\n[exit 0]");
  });

  test("B09 the command reaches the shell as it was sent", async () => {
    const { run } = scene();
    expect((await run("bash", { command: "echo 'a &amp;&amp; b' \"$0\" $#" })).content).toBe(
      "a &amp;&amp; b bash 0\n[exit 0]",
    );
  });

  test("fault 156 TL19 children see no scrubbed variable, and a quiet terminal", async () => {
    const { run } = scene({
      scrub_env: ["MY_KEY"],
      env: { ...process.env, MY_KEY: "sesame", OTHER: "kept", TERM: "xterm", PAGER: "less" },
    });
    const { content } = await run("bash", { command: "env" });
    expect(content).not.toContain("sesame");
    const seen = content.split("\n").filter((line) => /^(MY_KEY|OTHER|TERM|PAGER|GIT_PAGER|SMITH_CALL)=/.test(line));
    expect(seen.sort().map((line) => line.replace(/(SMITH_CALL=t1\/c1\/)[\w-]+$/, "$1<random>"))).toEqual([
      "GIT_PAGER=cat",
      "OTHER=kept",
      "PAGER=cat",
      "SMITH_CALL=t1/c1/<random>",
      "TERM=dumb",
    ]);
  });

  test("TL18 no command is refused for what it says", async () => {
    const { run, put, path } = scene();
    put("d/f", "x");
    expect(await run("bash", { command: `rm -rf ${path("d")}` })).toMatchObject({ ok: true, exit_code: 0 });
  });

  test("fault 158 TL15 cwd is taken from the working directory, and a missing one is named", async () => {
    const { run, root, path } = scene();
    mkdirSync(path("sub"));
    expect((await run("bash", { command: "pwd", cwd: "sub" })).content).toBe(`${root}/sub\n[exit 0]`);
    expect(await run("bash", { command: "pwd", cwd: "nope" })).toEqual({
      ok: false,
      content: "",
      error: {
        kind: "tool",
        code: "cwd_missing",
        message: `cwd: there is no directory ${root}/nope. Nothing was run.`,
      },
    });
  });

  test("fault 158 B23 a working directory that is gone is said, a way out named, and recovered from", async () => {
    const { run, root, path } = scene();
    const cwd = path("x/proj");
    mkdirSync(cwd, { recursive: true });
    expect((await run("bash", { command: `rm -rf ${path("x")}; echo gone` }, { cwd })).content).toBe("gone\n[exit 0]");
    const outcome = await run("bash", { command: "echo alive" }, { cwd });
    expect(outcome).toMatchObject({ ok: false, content: "" });
    expect(outcome.error).toEqual({
      kind: "tool",
      code: "cwd_gone",
      message: `The working directory ${cwd} is gone. Nothing was run. Pass cwd: "${root}" to run there, or make it anew from there with mkdir -p.`,
    });
    expect(await run("bash", { command: `mkdir -p ${cwd}`, cwd: root }, { cwd })).toMatchObject({ exit_code: 0 });
    expect((await run("bash", { command: "echo alive" }, { cwd })).content).toBe("alive\n[exit 0]");
  });

  test("fault 159 TL15 a shell that can't be started is an error with its mend", async () => {
    const { run } = scene();
    const code = async (outcome: Promise<{ error?: unknown }>) => (await outcome).error;
    expect(await code(run("bash", { command: "echo \0" }))).toMatchObject({
      code: "spawn_failed",
      message: "The shell could not be started: the command holds a NUL character; leave it out.",
    });
    expect(await code(run("bash", { command: `: ${"x".repeat(1 << 20)}` }))).toMatchObject({
      message: "The shell could not be started: the command is too long; write it to a file and run that.",
    });
    const full = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`V${i}`, "x".repeat(100_000)]));
    expect(await code(scene({ env: { ...process.env, ...full } }).run("bash", { command: "true" }))).toMatchObject({
      message:
        "The shell could not be started: the environment and the command together are too long; shorten the variables that Smith was started with.",
    });
    const lost = scene({ env: { PATH: "/nowhere" } });
    expect(await code(lost.run("bash", { command: "true" }))).toMatchObject({
      message: "The shell could not be started: neither bash nor sh was found; check PATH.",
    });
  });

  test("TL15 sh stands in where there is no bash", async () => {
    const bin = scene();
    symlinkSync("/bin/sh", bin.path("sh"));
    const { run } = scene({ env: { PATH: bin.root } });
    expect((await run("bash", { command: "echo from sh; echo err >&2" })).content).toBe("from sh\nerr\n[exit 0]");
  });

  test("TL17 without mkfifo both streams still come in order", async () => {
    const { run, root } = scene({ env: { ...process.env } });
    vi.stubEnv("PATH", root);
    const outcome = await run("bash", { command: "echo a; echo b >&2; echo c; exit 4" });
    vi.unstubAllEnvs();
    expect(outcome.content).toBe("a\nb\nc\n[exit 4]");
  });

  test("TL15 timeout_s is 120 by default, above 600 it is refused in words", () => {
    const { tool, refused } = scene();
    expect(refused("bash", { command: "x", timeout_s: 601 })).toEqual([
      "timeout_s can be at most 600 seconds; run longer work in the background",
    ]);
    expect([{}, { background: true }].map((rest) => tool("bash").schema.parse({ command: "x", ...rest }))).toEqual([
      { command: "x", timeout_s: 120 },
      { command: "x", background: true },
    ]);
    const deadlines = [{}, { timeout_s: 600 }, { background: true }].map((rest) =>
      tool("bash").deadlineS?.({ command: "x", ...rest }),
    );
    expect(deadlines).toEqual([130, 610, 130]);
  });

  test("TL15 each form of the arguments says what it lacks and what it does not take", () => {
    const { refused } = scene();
    const said = (args: object) => refused("bash", args);
    expect(said({})).toEqual(["give command, or job and action"]);
    expect(said({ command: "x", run_in_background: true })).toEqual(['Unrecognized key: "run_in_background"']);
    expect(said({ job: "bg1" })).toEqual(["action is missing: output or kill"]);
    expect(said({ action: "kill" })).toEqual(["job is missing: the name that background: true returned"]);
    expect(said({ job: "bg1", action: "output", command: "x" })).toEqual([
      "job and action take no command: use one form or the other",
    ]);
    expect(said({ job: "bg1", action: "output", timeout_s: 3 })).toEqual([
      "job and action take no timeout_s: use one form or the other",
    ]);
    expect(said({ job: "bg1", action: "stop" })).toEqual(['Invalid option: expected one of "output"|"kill"']);
  });

  test("TL50 the line for people tells exit code and size", async () => {
    const { run, tool } = scene();
    const shown = async (args: { command: string; timeout_s?: number }) =>
      tool("bash").result_renderer?.(args, await run("bash", args));
    expect(await shown({ command: "echo hello there" })).toBe("exit 0 (12 B)");
    expect(await shown({ command: "exit 2" })).toBe("exit 2 (0 B)");
    expect(await shown({ command: "echo x; sleep 9", timeout_s: 0.2 })).toBe("timeout (2 B)");
  });

  test("B17 a session in which nothing ran ends without a look at any process", async () => {
    const { dispose } = scene();
    expect(await dispose()).toBeUndefined();
  });

  test("B23 a call in a directory that was removed and made again works", async () => {
    const { run, path } = scene();
    const cwd = path("again");
    mkdirSync(cwd);
    rmSync(cwd, { recursive: true });
    mkdirSync(cwd);
    expect((await run("bash", { command: "pwd" }, { cwd })).content).toBe(`${cwd}\n[exit 0]`);
  });
});

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { hashText } from "../src/index.ts";
import { argumentsOf, bytesOf, oracle, randomFile, randomFrom, randomStep } from "./edit-oracle.ts";
import { type Scene, scene } from "./scene.ts";

const MIB = 1 << 20;

/** What diff says of the two files, patch makes of the first. */
function expectPatched({ put, path, text }: Scene, before: string, after: string): void {
  put("old", before);
  const { stdout } = spawnSync("diff", ["-u", "--text", path("old"), path("f")]);
  put("p", stdout);
  if (stdout.length > 0) execFileSync("patch", ["-s", "--binary", path("old"), path("p")]);
  expect(text("old")).toBe(after);
}

/** A control group of one's own in which processes can be suspended; null where none can be made. */
function freezer(): string | null {
  const place = `/sys/fs/cgroup/freezer/smith-test-${process.pid}`;
  const made = spawnSync("sh", ["-c", `mkdir ${place} && rmdir ${place}`], { stdio: "ignore" });
  return made.status === 0 ? place : null;
}

describe.skipIf(process.platform !== "linux")("files and commands of a size", () => {
  test("TL22 TL24 random edit scripts on random files equal a naive oracle to the byte, and diff and patch agree", async () => {
    const all = scene();
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomFrom(seed);
      const { mark, lines } = randomFile(random);
      const before = bytesOf(mark, lines);
      all.put("f", before);
      for (let step = 0; step < 6; step++) {
        const next = randomStep(random, lines.length);
        const hash = hashText(bytesOf(mark, lines));
        oracle(lines, next);
        await all.run("edit", { path: "f", hash, ...argumentsOf(next) });
        expect({ seed, step, next, text: all.text("f") }).toEqual({ seed, step, next, text: bytesOf(mark, lines) });
      }
      if (seed % 8 === 0) expectPatched(all, before, bytesOf(mark, lines));
    }
  });

  test("fault 150 fault 151 TL15 700 MB of output and a line of 1 GB end by themselves, in little memory", async () => {
    const { run } = scene();
    await run("bash", { command: "yes | head -c 20000000" }); // what is allocated once
    for (const [command, bytes] of [
      ["yes | head -c 700000000", 700_000_000],
      ["head -c 1000000000 /dev/zero | tr '\\0' q", 1_000_000_000],
    ] as const) {
      const before = process.memoryUsage().rss;
      let peak = before;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 20);
      const outcome = await run("bash", { command });
      clearInterval(watch);
      expect([outcome.exit_code, outcome.metadata]).toEqual([0, { output_bytes: bytes }]);
      expect(Math.max(peak, process.memoryUsage().rss) - before).toBeLessThan(64 * MIB);
    }
  });

  test.skipIf(freezer() === null)(
    "fault 161 TL16 a command that not even SIGKILL ends is given up on, with its output",
    async () => {
      const { run } = scene();
      const place = freezer() ?? "";
      mkdirSync(place);
      onTestFinished(() => {
        writeFileSync(`${place}/freezer.state`, "THAWED"); // now the SIGKILL reaches it
        spawnSync("sh", ["-c", `until rmdir ${place} 2> /dev/null; do :; done`], { timeout: 5_000 });
      });
      // The kernel suspends it: a signal is kept until it goes on, as in a read from a disk that has gone.
      const command = `echo begun; echo $$ > ${place}/tasks; echo FROZEN > ${place}/freezer.state; sleep 30`;
      const before = performance.now();
      const outcome = await run("bash", { command, timeout_s: 1 });
      expect(performance.now() - before).toBeLessThan(10_000);
      expect([outcome.ok, outcome.error?.code, outcome.content.split("\n")[0]]).toEqual([false, "timeout", "begun"]);
      expect((await run("bash", { command: "echo next" })).content).toBe("next\n[exit 0]");
    },
  );

  test("fault 163 TL20 a file beyond 2 GiB is read by range and refused by edit, in little memory", async () => {
    const { run, path } = scene();
    execFileSync("bash", ["-c", `yes ${"y".repeat(127)} | head -c ${2200 * MIB} > ${path("big")}`]);
    const before = process.memoryUsage().rss;
    const { content } = await run("read", { path: "big", offset: 17_000_000, limit: 2 });
    expect(content.split("\n").slice(1, 3)).toEqual([`17000000│${"y".repeat(127)}`, `17000001│${"y".repeat(127)}`]);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    expect((await run("edit", { path: "big", old_string: "y", new_string: "z" })).error?.code).toBe("too_large");
    expect(statSync(path("big")).size).toBe(2200 * MIB);
  });

  test("fault 172 TL14 however a folder and a symlink change places, no write lands outside", async () => {
    const inner = scene();
    const outer = scene();
    const [d, real, link] = ["d", "real", "link"].map(inner.path);
    mkdirSync(real ?? "");
    outer.put("keep", "");
    const swap = `ln -s ${outer.root} ${link}; while :; do mv -T ${real} ${d}; mv -T ${d} ${real}; mv -T ${link} ${d}; mv -T ${d} ${link}; done`;
    const swapper = spawn("bash", ["-c", swap], { stdio: "ignore" });
    onTestFinished(() => void swapper.kill("SIGKILL"));
    // The system's temp folder is allowed, and both scenes are in it: so the place is made by hand.
    const { replaceFile } = await import("../src/disk-file.ts");
    const { makeFolder } = await import("../src/held-folder.ts");
    const signal = new AbortController().signal;
    let wrote = 0;
    for (let n = 0; n < 1000; n++) {
      const name = n % 2 === 0 ? `d/f${n % 10}` : `d/sub${n % 6}/f`;
      const place = { real: inner.path(name), absolute: inner.path(name), shown: name, within: [inner.root] };
      try {
        await makeFolder(place);
        await replaceFile(place, { bytes: Buffer.from("x"), before: null, signal });
        wrote++;
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: expect.stringMatching(/^(ENOENT|ENOTDIR|ELOOP|path_escape)$/) });
      }
    }
    swapper.kill("SIGKILL");
    expect(readdirSync(outer.root)).toEqual(["keep"]);
    expect(wrote).toBeGreaterThan(0);
    rmSync(link ?? "", { force: true });
    writeFileSync(inner.path("done"), "");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "fault 14 TL24 TL25 a full disk leaves the old file whole and nothing beside it (skipped where a tmpfs can't be mounted)",
    async ({ skip }) => {
      const { run, path, put, text } = scene();
      mkdirSync(path("d"));
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path("d")]).status === 0;
      if (!mounted) skip();
      try {
        put("d/f", "old\n");
        const hash = hashText("old\n");
        const large = "x".repeat(2 * MIB);
        const errors = [
          await run("write", { path: "d/f", content: large }),
          await run("write", { path: "d/new", content: large }),
          await run("edit", { path: "d/f", hash, op: "insert", start_line: 2, text: large }),
        ].map(({ error }) => [error?.code, error?.message]);
        const full = (name: string) => ["disk_full", `${name} could not be written: the disk is full.`];
        expect(errors).toEqual([full("d/f"), full("d/new"), full("d/f")]);
        expect([readdirSync(path("d")), text("d/f")]).toEqual([["f"], "old\n"]);
      } finally {
        spawnSync("umount", [path("d")]);
      }
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    "fault 171 TL24 a file that is a mount point of its own is refused in words",
    async ({ skip }) => {
      const { run, path, put, text } = scene();
      put("outer", "outer\n");
      put("f", "below\n");
      if (spawnSync("mount", ["--bind", path("outer"), path("f")]).status !== 0) skip();
      try {
        const { error } = await run("edit", { path: "f", old_string: "outer", new_string: "x" });
        expect([error?.code, text("f"), readdirSync(path("."))]).toEqual([
          "not_replaceable",
          "outer\n",
          ["f", "outer"],
        ]);
      } finally {
        spawnSync("umount", [path("f")]);
      }
    },
  );
});

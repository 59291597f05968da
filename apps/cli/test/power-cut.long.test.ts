import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fc } from "@smith/testkit/suites";
import { expect, test } from "vitest";
import { SMITH } from "./built.ts";
import { integrity, turnStates } from "./database.ts";
import { has, model, type Place, place } from "./scene.ts";

const hasStrace = has("strace");
if (!hasStrace) console.log("skipped: simulated power cuts need strace");

/** What the program did to its disk, or told. */
type Act =
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "cut"; readonly file: string; readonly length: number }
  | { readonly kind: "flush" | "remove"; readonly file: string }
  | { readonly kind: "told" };

const text = (hex: string): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex");
const LINE = /^(\w+)\((?:\d+<)?"?((?:\\x..)*)[">]*(?:, "((?:\\x..)*)")?(?:, (\d+))?(?:, (\d+))?\) += (-?\d+)/;

/** One line of strace; null for what is no matter of the database. */
function actOf(line: string): Act | null {
  const [, call, name = "", hex = "", one = "", two = ""] = LINE.exec(line) ?? [];
  const file = basename(text(name).toString());
  const bytes = text(hex);
  if (call === "write" && bytes.includes('"type":"turn_persisted"')) return { kind: "told" };
  if (!file.startsWith("smith.db") || file.endsWith("-shm")) return null;
  if (call === "pwrite64") return { kind: "write", file, offset: Number(two), bytes: bytes.subarray(0, Number(one)) };
  if (call === "ftruncate") return { kind: "cut", file, length: Number(one) };
  if (call === "fsync" || call === "fdatasync") return { kind: "flush", file };
  return call === "unlink" ? { kind: "remove", file } : null;
}

/** All that a turn does to the database, the open of it and its close too. */
async function actsOf(here: Place, args: readonly string[]): Promise<readonly Act[]> {
  const log = join(here.home, "strace");
  const calls = "trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink";
  const env = { PATH: process.env["PATH"], HOME: here.home, SMITH_HOME: here.home, SMITH_NO_PROBE: "1" };
  const flags = ["-ff", "-y", "-xx", "-s", "300000", "-o", log, "-e", calls, process.execPath, SMITH, ...args];
  const child = spawn("strace", flags, { cwd: here.cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.resume();
  await once(child, "close");
  const logs = readdirSync(here.home).filter((name) => name.startsWith("strace."));
  const acts = logs.map((name) => readFileSync(join(here.home, name), "utf8").split("\n").map(actOf));
  const [main] = acts.filter((each) => each.some((act) => act?.kind === "write"));
  return main?.filter((act) => act !== null) ?? [];
}

type Files = Map<string, Buffer>;

function apply(files: Files, act: Act): void {
  if (act.kind === "remove") files.delete(act.file);
  if (act.kind !== "write" && act.kind !== "cut") return;
  const before = files.get(act.file) ?? Buffer.alloc(0);
  const end = act.kind === "cut" ? act.length : Math.max(before.length, act.offset + act.bytes.length);
  const after = Buffer.alloc(end);
  before.copy(after, 0, 0, Math.min(before.length, end));
  if (act.kind === "write") act.bytes.copy(after, act.offset);
  files.set(act.file, after);
}

/**
 * The files after a power cut behind the n-th act: what was flushed is there; of what was not, each act may have reached
 * the disk or not, whatever came after it.
 */
function afterCut(before: Buffer, acts: readonly Act[], n: number, reached: () => boolean): Files {
  const files: Files = new Map([["smith.db", before]]);
  const done = acts.slice(0, n);
  done.forEach((act, at) => {
    if (!("file" in act)) return;
    const isFlushed = done.slice(at + 1).some((later) => later.kind === "flush" && later.file === act.file);
    if (isFlushed || reached()) apply(files, act);
  });
  return files;
}

test.skipIf(!hasStrace)(
  "promises P1 P2 P6 whatever a power cut takes of what was not flushed, the database is whole and a turn that was told is there",
  { timeout: 600_000 },
  async () => {
    const bash = { id: "c1", name: "bash", args: { command: "echo hi" } };
    const llm = await model([{ say: "one" }, { call: [bash], say: "I look." }, { say: "two" }]);
    const here = place({ config: llm.config });
    await here.run(["-p", "first"]);
    const before = readFileSync(here.database);
    const acts = await actsOf(here, ["-c", "-p", "second", "--output", "jsonl"]);
    const told = acts.findIndex(({ kind }) => kind === "told");
    expect([acts.length > 20, told > 0]).toEqual([true, true]);
    const folder = join(here.home, "after");
    const seen = { open: 0, saved: 0 };
    const check = (n: number, reached: () => boolean) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, bytes] of afterCut(before, acts, n, reached)) writeFileSync(join(folder, name), bytes);
      const file = join(folder, "smith.db");
      const [first, second] = turnStates(file);
      expect([n, integrity(file), first]).toEqual([n, "ok", "completed"]);
      if (n > told) expect([n, second]).toEqual([n, "completed"]);
      seen[second === "completed" ? "saved" : "open"]++;
    };
    for (let n = 0; n <= acts.length; n++) for (const all of [true, false]) check(n, () => all);
    const cut = fc.record({ n: fc.nat(acts.length), coins: fc.infiniteStream(fc.boolean()) });
    fc.assert(
      fc.property(cut, ({ n, coins }) => {
        check(n, () => coins.next().value === true);
      }),
      { numRuns: 500, seed: 1 },
    );
    console.log(
      `${seen.open + seen.saved} power cuts in ${acts.length} writes and flushes: ${seen.saved} with the turn saved`,
    );
  },
);

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRuntime } from "@smith/runtime";
import { onTestFinished } from "vitest";
import { SMITH } from "./built.ts";
import { leftBehind, MARK, markedPids } from "./left-behind.ts";
import { kill } from "./running.ts";
import type { Place } from "./scene.ts";
import { parseRows, type Span } from "./tmux-cells.ts";

export interface PaneOptions {
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What to wait for before the test goes on; default: the prompt's mark. Null: nothing. */
  readonly ready?: string | null;
  /** In a home that is new the first start says more; default: it is not the first. */
  readonly first?: boolean;
  /** The colour that the terminal says its background has. */
  readonly background?: string;
  /** A program that smith's output goes through. */
  readonly through?: string;
}

/** A smith in a window of a tmux of its own. */
export interface Pane {
  /** Letters as they are. */
  type(text: string): void;
  /** Keys by their tmux names: `Enter`, `C-c`, `M-b`, `Up`. */
  press(...names: string[]): void;
  /** A bracketed paste. */
  paste(text: string): void;
  /** One size after the other, each told to smith at once. */
  resize(columns: number, rows: number): Promise<void>;
  /** Sizes as fast as can be: tmux tells smith of some of them, and late. */
  storm(sizes: readonly (readonly [number, number])[]): void;
  /** The rows in view, without blanks at their ends and without the empty rows below. */
  rows(): readonly string[];
  /** All rows, those that scrolled away too. */
  all(): readonly string[];
  /** What stands in the first row in view that holds the text, in pieces of one colour. */
  spans(text: string): readonly Span[];
  cursor(): { readonly column: number; readonly row: number };
  /** Resolves with the rows in view once they hold the text, or fit. @throws when they do not within 10 s. */
  see(wanted: string | ((rows: readonly string[]) => boolean)): Promise<readonly string[]>;
  /** As `see`, for rows that scrolled away too. */
  find(text: string): Promise<void>;
  /** Every byte that was written to the terminal so far. */
  bytes(): string;
  /** Of smith itself. */
  pid(): number;
  signal(signal: NodeJS.Signals): void;
  /** Closes the window under it, as when a connection is lost. */
  hangUp(): void;
  /** Command lines of processes that smith started and that live on. */
  leftBehind(): Promise<readonly string[]>;
  /** The exit code, and whether the terminal's settings are again what they were. */
  ended(): Promise<{ readonly code: number; readonly restored: boolean }>;
}

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

const SEE_MS = 10_000;
const LOOK_MS = 15;
/** What smith wrote last may take so long to be on the screen. */
const LAST_MS = 500;
/** Only a resize that comes so long after the last does tmux tell at once. */
const RESIZE_MS = 300;

/** Opens smith in a terminal of so many columns and rows. Only this server is closed when the test is over. */
export async function openPane(here: Place, options: PaneOptions = {}): Promise<Pane> {
  const { columns = 80, rows = 24, ready = "▸" } = options;
  const folder = mkdtempSync(join(tmpdir(), "smith-tmux-"));
  if (options.first !== true && !existsSync(here.database)) await settleIn(here);
  const at = (name: string) => join(folder, name);
  const mark = `${MARK}=${folder}`;
  const server = ["-u", "-S", at("socket"), "-f", "/dev/null"];
  const tmux = (...args: string[]) => execFileSync("tmux", [...server, ...args], { encoding: "utf8", env: bare(here) });
  onTestFinished(() => {
    spawnSync("tmux", [...server, "kill-server"], { stdio: "ignore" });
    killAll(folder); // before its folder goes: the shell around smith notes the end there
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  writeFileSync(at("run.sh"), runScript(here, options, { at, mark }));
  tmux("new-session", "-d", "-e", mark, "-x", `${columns}`, "-y", `${rows}`, "-c", here.cwd, `sh ${at("run.sh")}`);
  tmux("set-option", "-g", "history-limit", "5000");
  if (options.background !== undefined) tmux("set-option", "-g", "window-style", `bg=${options.background}`);
  tmux("pipe-pane", "-o", `cat > ${at("bytes")}`);
  tmux("wait-for", "-S", "go"); // all that is written from here on is on record

  const capture = (...more: string[]) => tmux("capture-pane", "-p", ...more).split("\n");
  const inView = () => trimmed(capture());
  const isOver = () => existsSync(at("code"));
  const until = async <T>(look: () => T, holds: (seen: T) => boolean, tell: () => string): Promise<T> => {
    let deadline = performance.now() + SEE_MS;
    for (;;) {
      const seen = look();
      if (holds(seen)) return seen;
      if (isOver()) deadline = Math.min(deadline, performance.now() + LAST_MS);
      if (performance.now() > deadline) throw new Error(tell());
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const missing = (wanted: unknown) => () => `Waited for ${wanted}; the screen shows:\n${inView().join("\n")}`;
  const pid = () => Number(readFileSync(at("pid"), "utf8"));
  let resizedAt = Number.NEGATIVE_INFINITY;
  const pane: Pane = {
    type: (text) => void tmux("send-keys", "-l", "--", text),
    press: (...names) => void tmux("send-keys", ...names),
    paste(text) {
      writeFileSync(at("paste"), text);
      tmux("load-buffer", at("paste"));
      tmux("paste-buffer", "-p", "-r");
    },
    async resize(width, height) {
      const wait = resizedAt + RESIZE_MS - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      tmux("resize-window", "-x", `${width}`, "-y", `${height}`);
      resizedAt = performance.now();
    },
    storm(sizes) {
      for (const [width, height] of sizes) tmux("resize-window", "-x", `${width}`, "-y", `${height}`);
      resizedAt = performance.now();
    },
    rows: inView,
    all: () => trimmed(capture("-S", "-")),
    spans(text) {
      const row = inView().findIndex((each) => each.includes(text));
      if (row < 0) throw new Error(missing(text)());
      return parseRows(capture("-e"))[row] ?? [];
    },
    cursor() {
      const [column, row] = tmux("display-message", "-p", "#{cursor_x},#{cursor_y}").trim().split(",").map(Number);
      return { column: column ?? -1, row: row ?? -1 };
    },
    see: (wanted) =>
      until(
        inView,
        typeof wanted === "string" ? (seen) => seen.some((row) => row.includes(wanted)) : wanted,
        missing(wanted),
      ),
    async find(text) {
      await until(pane.all, (seen) => seen.some((row) => row.includes(text)), missing(text));
    },
    bytes: () => readFileSync(at("bytes"), "latin1"),
    pid,
    signal: (signal) => kill(pid(), signal),
    hangUp: () => void tmux("kill-pane"),
    leftBehind: async () => (await leftBehind(folder)).filter((line) => !/^(sh|cat|tmux)\b/.test(line)),
    async ended() {
      await until(isOver, Boolean, missing("the end"));
      const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : name);
      return { code: Number(text("code")), restored: text("before") === text("after") };
    },
  };
  if (ready !== null) await pane.see(ready);
  return pane;
}

/** Makes the place's home one that has seen a start. */
async function settleIn({ cwd, database }: Place): Promise<void> {
  const runtime = createRuntime({ cwd: () => cwd, database });
  const { services } = await runtime.start();
  await services.persistence.config.once("welcome");
  await runtime.close();
}

/** All with the mark, also those that one of them starts meanwhile. */
function killAll(mark: string): void {
  for (let round = 0; round < 50; round++) {
    const pids = markedPids(mark);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid, "SIGKILL");
  }
}

/** Nothing of the developer's own environment but the path. */
const bare = (here: Place) => ({ PATH: process.env["PATH"], HOME: dirname(here.home), LANG: "C.UTF-8" });

interface Files {
  at(name: string): string;
  readonly mark: string;
}

/** Waits until its output is on record, runs smith, and notes its code and the terminal's settings around it. */
function runScript(here: Place, options: PaneOptions, { at, mark }: Files): string {
  const env = { SMITH_HOME: here.home, SMITH_NO_PROBE: "1", ...options.env };
  const given = [...Object.entries(env).map(([name, value]) => `${name}=${value}`), mark].map(quoted).join(" ");
  const command = [process.execPath, SMITH, ...(options.args ?? [])].map(quoted).join(" ");
  const pipe = options.through === undefined ? "" : ` | ${options.through}`;
  return [
    "trap '' HUP INT", // the shell around outlives what smith is sent, and tells its end
    `tmux -S ${quoted(at("socket"))} wait-for go`,
    `stty -g > ${quoted(at("before"))}`,
    `env -u TMUX ${given} sh -c ${quoted(`trap - HUP INT; echo $$ > ${quoted(at("pid"))}; exec ${command}`)}${pipe}`,
    "code=$?",
    `stty -g > ${quoted(at("after"))} 2>/dev/null || cp ${quoted(at("before"))} ${quoted(at("after"))}`,
    `echo $code > ${quoted(at("code.new"))}; mv ${quoted(at("code.new"))} ${quoted(at("code"))}`,
    "exec cat",
  ].join("\n");
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

function trimmed(rows: readonly string[]): readonly string[] {
  const ends = rows.map((row) => row.trimEnd());
  const last = ends.findLastIndex((row) => row !== "");
  return ends.slice(0, last + 1);
}

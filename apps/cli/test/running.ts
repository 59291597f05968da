import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@smith/contract/event";
import type { TurnResult } from "@smith/contract/turn";

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text to pipe in, or a pipe that stays `open` and silent; default: /dev/null. */
  readonly stdin?: string | { readonly open: true };
  /** Default: the working directory of the place. */
  readonly cwd?: string;
  /** Arguments of node itself. */
  readonly node?: readonly string[];
  /** True: nobody reads stdout until the process has ended or the pipe was closed. */
  readonly unread?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The turn result: the whole of stdout (`json`), or its last line (`jsonl`). */
  json(): PrintedResult;
  /** The events of `jsonl`; throws for a line that is none. */
  events(): readonly AgentEvent[];
}

export type PrintedResult = Omit<TurnResult, "messages">;

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves as soon as stdout or stderr holds the text. @throws when the process ends before. */
  printed(text: string): Promise<void>;
  /** Resolves as soon as the deltas of `jsonl` add up to something with this text in it. */
  said(text: string): Promise<void>;
  /** Resolves as soon as a file of this name is in the working directory. @throws when the process ends before. */
  made(name: string): Promise<void>;
  /** What is waited for from elsewhere. @throws when the process ends before. */
  meanwhile<T>(wait: Promise<T>): Promise<T>;
  kill(signal: NodeJS.Signals): void;
  /** As a terminal does: to smith and all that is in its process group. */
  killGroup(signal: NodeJS.Signals): void;
}

type Spawn = RunOptions & { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** Starts node, in a process group of its own. */
export function start(args: readonly string[], options: Spawn): Running {
  const stdin = options.stdin === undefined ? "ignore" : "pipe";
  // A group of its own: a signal to it must not reach the test runner.
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [stdin, "pipe", "pipe"],
  });
  if (typeof options.stdin === "string") child.stdin?.end(options.stdin);
  child.stdin?.on("error", () => {}); // smith may leave without reading it
  const output = watchOutput(child, options.unread === true);
  const pid = child.pid ?? 0;
  const ended = once(child, "close").then(([code, signal]): Ended => {
    output.end();
    return endedOf({ code: code as number | null, signal: signal as NodeJS.Signals | null }, output);
  });
  const meanwhile = <T>(wait: Promise<T>): Promise<T> =>
    Promise.race([wait, ended.then(({ stderr }) => Promise.reject(new Error(`smith ended too early:\n${stderr}`)))]);
  return {
    child,
    pid,
    ended,
    meanwhile,
    async made(name) {
      const watcher = watch(options.cwd);
      try {
        while (!existsSync(join(options.cwd, name))) await meanwhile(once(watcher, "change"));
      } finally {
        watcher.close();
      }
    },
    printed: (text) =>
      output.until(`print ${text}`, () => output.stdout().includes(text) || output.stderr().includes(text)),
    said: (text) => output.until(`say ${text}`, () => deltasOf(output.stdout()).includes(text)),
    kill: (signal) => kill(pid, signal),
    killGroup: (signal) => kill(-pid, signal),
  };
}

type Output = ReturnType<typeof watchOutput>;

/** What a process has printed so far, and waits for what it will. */
function watchOutput(child: ChildProcess, unread: boolean) {
  const texts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const waiting = new Set<() => void>();
  let over = false;
  const wake = () => {
    for (const each of [...waiting]) each();
  };
  for (const name of ["stdout", "stderr"] as const) {
    if (unread && name === "stdout") continue;
    child[name]?.on("data", (chunk: Buffer) => {
      texts[name].push(chunk);
      wake();
    });
  }
  const text = (name: "stdout" | "stderr") => Buffer.concat(texts[name]).toString();
  return {
    stdout: () => text("stdout"),
    stderr: () => text("stderr"),
    end() {
      over = true;
      wake();
    },
    until: (what: string, holds: () => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!holds() && !over) return;
          waiting.delete(look);
          if (holds()) resolve();
          else reject(new Error(`smith ended and did not ${what}. It printed:\n${text("stdout")}\n${text("stderr")}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

const endedOf = (exit: Pick<Ended, "code" | "signal">, output: Output): Ended => {
  const stdout = output.stdout();
  const lines = stdout.split("\n").slice(0, -1);
  return {
    ...exit,
    stdout,
    stderr: output.stderr(),
    json: () => JSON.parse(lines.at(-1) ?? "") as PrintedResult,
    events: () => lines.slice(0, -1).map((line) => JSON.parse(line) as AgentEvent),
  };
};

const deltasOf = (stdout: string): string =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AgentEvent)
    .map((event) => (event.type === "llm_text_delta" ? event.text : ""))
    .join("");

/** A pid, or minus the number of a group. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended: that is as good
  }
}

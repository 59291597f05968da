import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createByteRing } from "./byte-ring.ts";
import { createCleaner } from "./clean.ts";
import { errnoOf, refusal } from "./fault.ts";
import { groupIsAlive, killAll, killGroup, MARKER } from "./kill.ts";
import { createOutputPipes, type OutputPipe, type OutputPipes } from "./output-pipe.ts";
import { type Reaper, startReaper } from "./reaper.ts";
import { createRing } from "./ring.ts";

/** Characters of output kept, head and tail. */
export const OUTPUT_MAX_CHARS = 20_000;
/** Bytes of output kept beside it for whoever asks for the rest, head and tail. */
const WHOLE_MAX_BYTES = 4 << 20;
/** How long output is waited for after the shell has ended, ms: a background child may hold the pipe for ever. */
const DRAIN_MS = 250;
/** A killed process that the kernel won't let go of is given up after this, ms. */
const GIVE_UP_MS = 2000;

export interface Command {
  readonly command: string;
  /** Must exist. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeout_s: number;
  readonly signal: AbortSignal;
  /** Names the call in the environment marker. */
  readonly label: string;
}

export interface Finished {
  /** Both streams as they came, cleaned and cut. */
  readonly output: string;
  /** All of it, up to 4 MiB; null where `output` is all. */
  readonly whole: string | null;
  /** Bytes the command wrote, before cleaning and cutting. */
  readonly output_bytes: number;
  /** Exit code; 128 + n after signal n; null when it could not be waited for. */
  readonly exit_code: number | null;
  readonly exit_signal: NodeJS.Signals | null;
  readonly stopped: "timeout" | "cancelled" | null;
}

export interface Processes {
  /** @throws {AgentError} `spawn_failed` when no shell could be started. */
  run(command: Command): Promise<Finished>;
  /** Ends all that was started and still runs. */
  dispose(): Promise<void>;
}

/** Runs shell commands, each in a process group of its own, and remembers the groups that outlive their call. */
export function createProcesses(): Processes {
  const session = randomBytes(8).toString("hex");
  const groups = new Set<number>();
  const pipes = createOutputPipes();
  let reaper: Reaper | null = null;
  let started = 0;
  // A process that leaves at once (a second Ctrl-C) has no time to dispose: what it started must not outlive it.
  const onExit = () => {
    for (const group of groups) killGroup(group);
  };
  return Object.freeze({
    async run(command: Command): Promise<Finished> {
      if (started === 0) process.once("exit", onExit);
      reaper ??= startReaper(`/${session}-`);
      const number = String(++started).padStart(8, "0"); // of one width, so that none is the beginning of another
      const marker = `${command.label.replace(/[^\w./-]/g, "_")}/${session}-${number}`;
      const child = await start(
        { ...command, env: { ...command.env, [MARKER]: markerWithin(command.env, marker) } },
        pipes,
      );
      groups.add(child.group);
      reaper.watch(child.group);
      const finished = await follow(child, command, marker);
      forgetDead(groups, reaper);
      return finished;
    },
    async dispose(): Promise<void> {
      if (started === 0) return;
      process.off("exit", onExit);
      forgetDead(groups, reaper);
      await killAll({ groups: [...groups], marker: `/${session}-` });
      groups.clear();
      pipes.dispose();
      reaper?.dismiss();
      reaper = null;
    },
  });
}

/** A Smith that runs in a command of another one is found by the other's marker, too, and so is what it starts. */
const markerWithin = (env: NodeJS.ProcessEnv, marker: string): string =>
  env[MARKER] === undefined ? marker : `${env[MARKER]},${marker}`;

/** A group that has died out is forgotten: its number may be given to a stranger. */
function forgetDead(groups: Set<number>, reaper: Reaper | null): void {
  for (const group of groups) {
    if (groupIsAlive(group)) continue;
    groups.delete(group);
    reaper?.forget(group);
  }
}

interface Started {
  readonly child: ChildProcess;
  /** Its process group, which has the child's own number. */
  readonly group: number;
  /** Both streams, in the order they were written. */
  readonly output: Readable;
  /** Says whether the output came to its end. */
  release(drained: boolean): void;
}

async function start(command: Command, pipes: OutputPipes): Promise<Started> {
  const pipe = await pipes.take();
  try {
    return await startShell(command, pipe);
  } catch (thrown) {
    pipe?.source.destroy();
    pipe?.release(false);
    throw spawnFailed(thrown);
  } finally {
    if (pipe !== null) closeSync(pipe.writer);
  }
}

async function startShell(command: Command, pipe: OutputPipe | null): Promise<Started> {
  try {
    return await spawnShell("bash", command, pipe);
  } catch (thrown) {
    // Without bash there may still be sh; any other failure would meet sh too.
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
    return await spawnShell("sh", command, pipe);
  }
}

async function spawnShell(shell: string, { command, cwd, env }: Command, pipe: OutputPipe | null): Promise<Started> {
  // Without a pipe of ours, a first shell joins the two streams.
  const args = pipe === null ? ["-c", `exec ${shell} -c "$0" 2>&1`, command] : ["-c", command];
  const child = spawn(shell, args, {
    cwd,
    env,
    detached: true, // a group and session of its own: it can be killed whole, and has no terminal to ask
    stdio: pipe === null ? ["ignore", "pipe", "ignore"] : ["ignore", pipe.writer, pipe.writer],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const output = pipe?.source ?? child.stdout;
  if (output === null || child.pid === undefined) throw new Error("a child without output or number");
  return { child, group: child.pid, output, release: pipe?.release ?? (() => {}) };
}

function spawnFailed(thrown: unknown): Error {
  const errno = errnoOf(thrown);
  const why =
    errno === "E2BIG"
      ? "the command is too long; write it to a file and run that"
      : errno === "ERR_INVALID_ARG_VALUE"
        ? "the command holds a NUL character; leave it out"
        : errno === "ENOENT"
          ? "neither bash nor sh was found; check PATH"
          : `the system answered ${errno ?? String(thrown)}`;
  return refusal("spawn_failed", `The shell could not be started: ${why}.`);
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function follow({ child, group, output, release }: Started, command: Command, marker: string): Promise<Finished> {
  const collected = collect(output);
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const stopped = await untilEnd(exited, command);
  if (stopped !== null) await killAll({ groups: [group], marker });
  const exit = await within(GIVE_UP_MS, exited, { code: null, signal: null });
  release(await within(DRAIN_MS, collected.ended, false));
  child.unref();
  return { ...collected.take(), exit_code: codeOf(exit), exit_signal: exit.signal, stopped };
}

/** What ends the wait: null = the command itself. The first cause wins. */
function untilEnd(exited: Promise<Exit>, { timeout_s, signal }: Command): Promise<"timeout" | "cancelled" | null> {
  return new Promise((resolve) => {
    const finish = (cause: "timeout" | "cancelled" | null) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(cause);
    };
    const onAbort = () => finish("cancelled");
    const timer = setTimeout(() => finish("timeout"), timeout_s * 1000);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    void exited.then(() => finish(null));
  });
}

const codeOf = ({ code, signal }: Exit): number | null => (signal === null ? code : 128 + constants.signals[signal]);

async function within<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the output as it comes, decoded, cleaned and kept in bounded memory. */
function collect(output: Readable) {
  const decoder = new StringDecoder("utf8");
  const cleaner = createCleaner();
  const ring = createRing(OUTPUT_MAX_CHARS);
  const whole = createByteRing(WHOLE_MAX_BYTES);
  const add = (text: string): void => {
    ring.add(text);
    whole.add(text);
  };
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    add(cleaner.write(decoder.write(chunk)));
  };
  output.on("data", onData);
  output.on("error", () => {}); // a broken pipe ends it; "close" follows
  return {
    /** True at the end of the output; false when it broke off. */
    ended: new Promise<boolean>((resolve) => {
      output.once("end", () => resolve(true));
      output.once("close", () => resolve(false));
    }),
    /** The output so far. What background children still write is read and dropped, lest they die of a closed pipe. */
    take() {
      output.off("data", onData);
      output.resume();
      if (output instanceof Socket) output.unref();
      add(cleaner.write(decoder.end()) + cleaner.end());
      const [shown, all] = [ring.text(), whole.text()];
      return { output: shown, whole: all === shown ? null : all, output_bytes: bytes };
    },
  };
}

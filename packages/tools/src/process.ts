import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { OpenProgram, ProgramCommand } from "@smith/contract/program";
import { type Collected, collect } from "./collect.ts";
import { errnoOf, refusal } from "./fault.ts";
import { createGroups } from "./groups.ts";
import { GIVE_UP_MS, killAll } from "./kill.ts";
import { createOutputPipes, type OutputPipe, type OutputPipes } from "./output-pipe.ts";
import { openProgram } from "./program.ts";
import { spawned } from "./spawned.ts";
import { within } from "./within.ts";

/** How long output is waited for after the shell has ended, ms: a background child may hold the pipe for ever. */
const DRAIN_MS = 250;

export interface Command {
  readonly command: string;
  /** Must exist. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Seconds it may take; null = as long as it likes. */
  readonly timeout_s: number | null;
  readonly signal: AbortSignal;
  /** Names the call in the environment marker. */
  readonly label: string;
}

/** What ended a command before its own end. */
export type Stopped = "timeout" | "cancelled" | "killed";

export interface End {
  /** Exit code; 128 + n after signal n; null when it could not be waited for. */
  readonly exit_code: number | null;
  readonly exit_signal: NodeJS.Signals | null;
  readonly stopped: Stopped | null;
}

export interface Running {
  readonly ended: Promise<End>;
  /** The output since the last time. */
  take(): Collected;
  /** Ends the command, its group and what escaped it; `ended` tells when that is done. */
  kill(): void;
  /** From now on it does not keep this process alive. */
  unref(): void;
}

export interface Processes {
  /** @throws {AgentError} `spawn_failed` when no shell could be started. */
  begin(command: Command): Promise<Running>;
  /** Starts a program that is talked with, and that goes on until it is closed. */
  readonly open: OpenProgram;
  /** Ends all that was started and still runs. */
  dispose(): Promise<void>;
}

/** Runs shell commands, each in a process group of its own, and remembers the groups that outlive their call. */
export function createProcesses(): Processes {
  const groups = createGroups();
  const pipes = createOutputPipes();
  return Object.freeze({
    async begin(command: Command): Promise<Running> {
      const { marker, env } = groups.mark(command.label, command.env);
      const child = await start({ ...command, env }, pipes);
      groups.add(child.group);
      return follow(child, { ...command, marker, onEnd: groups.forgetDead });
    },
    open: (command: ProgramCommand) => openProgram(command, groups),
    async dispose(): Promise<void> {
      await groups.dispose();
      pipes.dispose();
    },
  });
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
    throw spawnFailed(thrown, command.command);
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
  await spawned(child);
  const output = pipe?.source ?? child.stdout;
  if (output === null || child.pid === undefined) throw new Error("a child without output or number");
  return { child, group: child.pid, output, release: pipe?.release ?? (() => {}) };
}

/** Bytes that a system takes as one argument (Linux: 128 KiB); a longer command can't be run, whatever the environment. */
const ARGUMENT_MAX_BYTES = 128 << 10;

function spawnFailed(thrown: unknown, command: string): Error {
  return refusal("spawn_failed", `The shell could not be started: ${whyNot(errnoOf(thrown), thrown, command)}.`);
}

function whyNot(errno: string | undefined, thrown: unknown, command: string): string {
  switch (errno) {
    case "E2BIG":
      return Buffer.byteLength(command) >= ARGUMENT_MAX_BYTES
        ? "the command is too long; write it to a file and run that"
        : "the environment and the command together are too long; shorten the variables that Smith was started with";
    case "ERR_INVALID_ARG_VALUE":
      return "the command holds a NUL character; leave it out";
    case "ENOENT":
      return "neither bash nor sh was found; check PATH";
    case "EAGAIN":
      return "no further process may be started (EAGAIN); end some, as background commands, and try again";
    default:
      return `the system answered ${errno ?? String(thrown)}`;
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Followed extends Pick<Command, "timeout_s" | "signal"> {
  readonly marker: string;
  onEnd(): void;
}

function follow({ child, group, output, release }: Started, command: Followed): Running {
  const collected = collect(output);
  const killer = new AbortController();
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const end = async (): Promise<End> => {
    const stopped = await untilEnd(exited, { ...command, killed: killer.signal });
    if (stopped !== null) await killAll({ groups: [group], marker: command.marker });
    const exit = await within(GIVE_UP_MS, exited, { code: null, signal: null });
    release(await within(DRAIN_MS, collected.ended, false));
    child.unref();
    collected.close();
    command.onEnd();
    return { exit_code: codeOf(exit), exit_signal: exit.signal, stopped };
  };
  return Object.freeze({
    ended: end(),
    take: collected.take,
    kill: () => killer.abort(),
    unref() {
      child.unref();
      if (output instanceof Socket) output.unref();
    },
  });
}

/** What ends the wait: null = the command itself. The first cause wins. */
function untilEnd(
  exited: Promise<Exit>,
  { timeout_s, signal, killed }: Pick<Command, "timeout_s" | "signal"> & { killed: AbortSignal },
): Promise<Stopped | null> {
  return new Promise((resolve) => {
    const finish = (cause: Stopped | null) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(cause);
    };
    const onAbort = () => finish("cancelled");
    const timer = timeout_s === null ? undefined : setTimeout(() => finish("timeout"), timeout_s * 1000);
    signal.addEventListener("abort", onAbort, { once: true });
    killed.addEventListener("abort", () => finish("killed"), { once: true });
    if (signal.aborted) onAbort();
    void exited.then(() => finish(null));
  });
}

const codeOf = ({ code, signal }: Exit): number | null => (signal === null ? code : 128 + constants.signals[signal]);

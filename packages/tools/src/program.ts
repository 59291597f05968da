import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Program, ProgramCommand, ProgramEnd } from "@smith/contract/program";
import type { Groups } from "./groups.ts";
import { GIVE_UP_MS, killAll } from "./kill.ts";
import { spawned } from "./spawned.ts";
import { within } from "./within.ts";

/** How long a program may take to leave after its input was closed, ms. */
const LEAVE_MS = 500;
/** How long its last words are waited for once it is dead, ms. */
const DRAIN_MS = 250;

/**
 * Starts a program in a process group of its own, its three streams in our hands. When it ends, however that is, its group
 * and what carries its marker are ended with it. It does not keep this process alive.
 */
export async function openProgram(command: ProgramCommand, groups: Groups): Promise<Program> {
  const { marker, env } = groups.mark(command.label, command.env);
  const { program, args, cwd } = command;
  const child = await spawned(spawn(program, args, { cwd, env, detached: true, stdio: "pipe" }));
  const group = child.pid;
  if (group === undefined) throw new Error("a child without a number");
  groups.add(group);
  child.stdout.on("data", command.onOutput);
  child.stderr.on("data", command.onErrors);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {}); // its end follows
  unref(child);
  let giveUp = (): void => {};
  const exited = new Promise<ProgramEnd>((resolve) => {
    child.once("exit", (exit_code, exit_signal) => resolve({ exit_code, exit_signal }));
    giveUp = () => resolve({ exit_code: null, exit_signal: null });
  });
  const drained = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let ending: Promise<void> | null = null;
  const end = (): Promise<void> => {
    ending ??= killAll({ groups: [group], marker });
    return ending;
  };
  return Object.freeze({
    ended: exited.then(async (how) => {
      await end();
      await within(DRAIN_MS, drained, undefined);
      for (const stream of [child.stdout, child.stderr]) stream.destroy(); // a stranger may hold the other end
      groups.forgetDead();
      return how;
    }),
    send: (text: string) => void (child.stdin.writable && child.stdin.write(text)),
    unsent: () => child.stdin.writableLength,
    async close() {
      child.ref(); // its end is waited for now, and nothing else may be left that keeps this process alive
      child.stdin.end();
      await within<ProgramEnd | null>(LEAVE_MS, exited, null);
      await end();
      await within<ProgramEnd | null>(GIVE_UP_MS, exited, null);
      giveUp(); // behind sudo, it may live on; nobody is to wait for it
      child.unref();
    },
  });
}

function unref(child: ChildProcessWithoutNullStreams): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

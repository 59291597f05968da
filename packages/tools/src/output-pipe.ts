import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A real pipe. Node's own pipes are sockets, which a command can't open as /dev/stdout or /dev/stderr. */
export interface OutputPipe {
  readonly source: Socket;
  /** File descriptor of the writing end, for the child; to be closed here once the child has it. */
  readonly writer: number;
  /** Gives the pipe back. `drained`: its reader saw the end, so nobody writes to it any more and another call may use it. */
  release(drained: boolean): void;
}

export interface OutputPipes {
  /** A pipe that no other call uses; null where none can be made. */
  take(): Promise<OutputPipe | null>;
  dispose(): void;
}

/**
 * Pipes are made by the `mkfifo` program, which costs a process each: the nameless pipe of a finished call is opened
 * anew for the next one, through its descriptor in /proc. Where there is no /proc every call makes its own.
 */
export function createOutputPipes(): OutputPipes {
  const idle: number[] = [];
  const handOut = (keeper: number): OutputPipe | null => {
    const ends = openEnds(keeper);
    if (ends === null) closeSync(keeper);
    return ends && { ...ends, release: (drained) => void (drained ? idle.push(keeper) : closeSync(keeper)) };
  };
  return Object.freeze({
    async take() {
      const keeper = idle.pop() ?? (await makeKeeper());
      return keeper === null ? null : handOut(keeper);
    },
    dispose() {
      for (const keeper of idle.splice(0)) closeSync(keeper);
    },
  });
}

/** A descriptor that keeps a nameless pipe in being; nothing is read through it. */
async function makeKeeper(): Promise<number | null> {
  const path = join(tmpdir(), `smith-pipe-${randomBytes(8).toString("hex")}`);
  if (!(await makePipe(path))) return null;
  try {
    // A reader that does not wait for a writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null; // out of descriptors, say: the caller has a plainer way
  } finally {
    await rm(path, { force: true });
  }
}

function openEnds(keeper: number): Pick<OutputPipe, "source" | "writer"> | null {
  const path = `/proc/self/fd/${keeper}`;
  let reader: number | null = null;
  try {
    reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    return { source: new Socket({ fd: reader, readable: true, writable: false }), writer };
  } catch {
    if (reader !== null) closeSync(reader);
    return null; // no /proc, or out of descriptors: the caller has a plainer way
  }
}

const makePipe = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.platform !== "linux") return resolve(false); // elsewhere a descriptor can't be opened anew
    const child = execFile("mkfifo", ["-m", "600", path], { timeout: 2000 }, (error) => resolve(error === null));
    child.once("error", () => resolve(false));
  });

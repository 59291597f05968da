import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Order, Reply, Seen } from "./server.ts";

/** The scripted model's process, seen from the bench. */
export interface ModelProcess extends Disposable {
  /** Starts a fresh model for one run; resolves to its address. */
  play(benchmark: string): Promise<string>;
  /** Ends that model; resolves to what it saw. */
  stop(): Promise<Seen>;
}

/** Forks the server out of the bundle `entry`. It ends when disposed, and with this process. */
export function startModelProcess(entry: string): ModelProcess {
  const child = fork(entry, ["serve"], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return Object.freeze({
    async play(benchmark: string) {
      const reply = await tell(child, { play: benchmark });
      if ("url" in reply) return reply.url;
      throw unexpected(reply);
    },
    async stop() {
      const reply = await tell(child, { stop: true });
      if ("rounds_ms" in reply) return reply;
      throw unexpected(reply);
    },
    [Symbol.dispose]() {
      child.kill();
    },
  });
}

async function tell(child: ChildProcess, order: Order): Promise<Reply> {
  const gone = new AbortController();
  const onExit = () => gone.abort(new Error("the scripted model's process ended; its last words are above"));
  child.once("exit", onExit);
  try {
    const answer = once(child, "message", { signal: gone.signal });
    child.send(order);
    const [reply] = await answer;
    return reply as Reply; // our own bundle at the other end
  } finally {
    child.off("exit", onExit);
  }
}

const unexpected = (reply: Reply): Error =>
  new Error(`the scripted model's process failed: ${"error" in reply ? reply.error : JSON.stringify(reply)}`);

import { AsyncLocalStorage } from "node:async_hooks";
import { pathToFileURL } from "node:url";

/** One call into a plugin's code. */
export interface Call {
  /** Told of what the code prints, a line each. */
  print(line: string): void;
  /** Told of what it throws where nobody catches it: in a timer, or as a rejection that is not awaited. */
  fault(thrown: unknown): void;
}

/** Code of plugins runs in Smith's own process; here it can neither end that nor write into its answers. */
export interface Container {
  run<T>(call: Call, work: () => T): T;
  /** Whose is what comes out of this file, when nothing else tells. */
  own(file: string, call: Call): void;
  dispose(): void;
}

/** Whose code runs now. One for all containers: of two in a process each knows the other's calls for what they are. */
const calls = new AsyncLocalStorage<Call | null>();

/** Watches the process from now until it is disposed. */
export function createContainer(): Container {
  const files = new Map<string, Call>();
  const callNow = (): Call | null => {
    const call = calls.getStore() ?? null;
    return call && outside(call, (tell) => calls.run(null, tell));
  };
  const callOf = (thrown: unknown): Call | null => callNow() ?? byStack(thrown, files);
  const undo = [
    replace(process, "emit", (emit) => tellFaults(callOf, emit.bind(process) as Emit) as typeof process.emit),
    replace(process, "exit", (exit) => (code) => {
      if (callNow() === null) return exit.call(process, code);
      throw new Error(`process.exit(${code ?? ""}) was called`);
    }),
    ...[process.stdout, process.stderr].map((stream) =>
      replace(stream, "write", (write) => printTo(callNow, write.bind(stream))),
    ),
  ];
  return Object.freeze<Container>({
    run: (call, work) => calls.run(call, work),
    own(file, call) {
      files.set(file, call);
      files.set(pathToFileURL(file).href, call); // as stacks have it where a character of the path is not plain
    },
    dispose() {
      for (const each of undo) each();
    },
  });
}

/** What is told is told by Smith: its own printing must not count as the plugin's. */
const outside = ({ print, fault }: Call, leave: (tell: () => void) => void): Call => ({
  print: (line) => leave(() => print(line)),
  fault: (thrown) => leave(() => fault(thrown)),
});

type Write = typeof process.stdout.write;

/** What a plugin's code prints is told, a line each; what anybody else prints is written. */
function printTo(callNow: () => Call | null, write: Write): Write {
  return ((chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    const call = callNow();
    if (call === null) return (write as (...all: readonly unknown[]) => boolean)(chunk, ...rest);
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    for (const line of text.split("\n")) if (line.trim() !== "") call.print(line);
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  }) as Write;
}

/** Puts another function in the place of one; returns what takes it away, unless somebody stands on top of it by now. */
function replace<K extends string, T extends Record<K, unknown>>(
  target: T,
  key: K,
  made: (before: T[K]) => T[K],
): () => void {
  const before = target[key];
  const own = made(before);
  target[key] = own;
  return () => {
    if (target[key] === own) target[key] = before;
  };
}

type Emit = (event: string | symbol, ...args: readonly unknown[]) => boolean;

const FAULTS: ReadonlySet<string | symbol> = new Set(["uncaughtException", "unhandledRejection"]);

/** A fault of a plugin's is told, and nobody else hears of it. Any other goes its usual way. */
const tellFaults =
  (callOf: (thrown: unknown) => Call | null, emit: Emit): Emit =>
  (event, ...args) => {
    const call = FAULTS.has(event) ? callOf(args[0]) : null;
    if (call === null) return emit(event, ...args);
    call.fault(args[0]);
    return true;
  };

function byStack(thrown: unknown, files: ReadonlyMap<string, Call>): Call | null {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  return [...files].find(([file]) => stack.includes(file))?.[1] ?? null;
}

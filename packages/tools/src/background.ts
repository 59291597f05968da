import type { BackgroundRow } from "@smith/contract/job";
import type { Collected } from "./collect.ts";
import { refusal } from "./fault.ts";
import type { Command, End, Processes, Running } from "./process.ts";

/** Commands that may run in the background at a time. */
const MAX_RUNNING = 32;
/** Ended ones that are remembered; of older ones the output is gone. */
const MAX_ENDED = 64;

export interface News extends Collected {
  /** How it ended; null while it runs. */
  readonly end: End | null;
}

/** The commands that run on while the conversation does: a session's. */
export interface BackgroundCommands {
  /** Returns the name it is asked for by: `bg1`, `bg2`, … @throws {AgentError} `too_many`, `spawn_failed`. */
  start(command: Command): Promise<string>;
  /** What it wrote since the last time. @throws {AgentError} `not_found`. */
  news(name: string): News;
  /** Ends it and all it started; the news then has the rest. @throws {AgentError} `not_found`. */
  kill(name: string): Promise<void>;
  /** In the order they began. */
  list(): readonly BackgroundRow[];
}

interface Entry {
  readonly command: string;
  readonly running: Running;
  readonly began_at: number;
  end: (End & { readonly ended_at: number }) | null;
}

export function createBackgroundCommands(processes: Processes, now: () => number): BackgroundCommands {
  const entries = new Map<string, Entry>();
  let begun = 0;
  let starting = 0;
  const entryOf = (name: string): Entry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    throw refusal("not_found", `There is no background command ${JSON.stringify(name)}. ${namesOf(entries)}`);
  };
  const forgetOld = () => {
    const ended = [...entries].filter(([, { end }]) => end !== null);
    for (const [name] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) entries.delete(name);
  };
  const begin = async (command: Command): Promise<string> => {
    const running = await processes.begin(command);
    running.unref(); // a program that embeds us may end while it runs: then it is ended, too
    const name = `bg${++begun}`;
    const entry: Entry = { command: command.command, running, began_at: now(), end: null };
    entries.set(name, entry);
    void running.ended.then((end) => {
      entry.end = { ...end, ended_at: now() };
      forgetOld();
    });
    return name;
  };
  return Object.freeze({
    async start(command: Command) {
      const living = [...entries.values()].filter(({ end }) => end === null).length + starting;
      if (living >= MAX_RUNNING) {
        throw refusal("too_many", `${MAX_RUNNING} background commands run already. End one: job, action "kill".`);
      }
      starting++;
      try {
        return await begin(command);
      } finally {
        starting--;
      }
    },
    news(name: string) {
      const { running, end } = entryOf(name);
      return { ...running.take(), end };
    },
    async kill(name: string) {
      const { running } = entryOf(name);
      running.kill();
      await running.ended;
    },
    list: () =>
      [...entries].map(([name, { command, began_at, end }]) => ({
        ...{ name, command, status: end === null ? "running" : statusOf(end) },
        elapsed_ms: (end?.ended_at ?? now()) - began_at,
      })),
  });
}

/** `exit 1`, `exit 137, SIGKILL`, `killed`. */
export function statusOf({ exit_code, exit_signal, stopped }: End): string {
  if (stopped !== null) return stopped;
  return exit_signal === null ? `exit ${exit_code}` : `exit ${exit_code}, ${exit_signal}`;
}

function namesOf(entries: ReadonlyMap<string, Entry>): string {
  const running = [...entries].filter(([, { end }]) => end === null).map(([name]) => name);
  if (entries.size === 0) return "None was started in this session.";
  return running.length === 0 ? "None runs any more." : `Those that run: ${running.join(", ")}.`;
}

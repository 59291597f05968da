import { randomBytes } from "node:crypto";
import { groupIsAlive, killAll, killGroup, MARKER } from "./kill.ts";
import { type Reaper, startReaper } from "./reaper.ts";

/** The process groups that a session started, so that none outlives it. */
export interface Groups {
  /** Marks what is about to be started: its own marker, and the environment that carries it. */
  mark(label: string, env: NodeJS.ProcessEnv): { readonly marker: string; readonly env: NodeJS.ProcessEnv };
  /** A group that runs now. */
  add(group: number): void;
  /** A group that has died out is forgotten: its number may be given to a stranger. */
  forgetDead(): void;
  /** Ends all that was started and still runs. */
  dispose(): Promise<void>;
}

export function createGroups(): Groups {
  const session = randomBytes(8).toString("hex");
  const groups = new Set<number>();
  let reaper: Reaper | null = null;
  let started = 0;
  // A process that leaves at once (a second Ctrl-C) has no time to dispose: what it started must not outlive it.
  const onExit = () => {
    for (const group of groups) killGroup(group);
  };
  const forgetDead = () => {
    for (const group of groups) {
      if (groupIsAlive(group)) continue;
      groups.delete(group);
      reaper?.forget(group);
    }
  };
  return Object.freeze({
    mark(label: string, env: NodeJS.ProcessEnv) {
      if (reaper === null) process.once("exit", onExit);
      reaper ??= startReaper(`/${session}-`);
      const number = String(++started).padStart(8, "0"); // of one width, so that none is the beginning of another
      const marker = `${label.replace(/[^\w./-]/g, "_")}/${session}-${number}`;
      return { marker, env: { ...env, [MARKER]: markerWithin(env, marker) } };
    },
    add(group: number) {
      groups.add(group);
      reaper?.watch(group);
    },
    forgetDead,
    async dispose() {
      if (started === 0) return;
      process.off("exit", onExit);
      forgetDead();
      await killAll({ groups: [...groups], marker: `/${session}-` });
      groups.clear();
      reaper?.dismiss();
      reaper = null;
    },
  });
}

/** A Smith that runs in a command of another one is found by the other's marker, too, and so is what it starts. */
const markerWithin = (env: NodeJS.ProcessEnv, marker: string): string =>
  env[MARKER] === undefined ? marker : `${env[MARKER]},${marker}`;

import type { InspectHost } from "@smith/contract/inspect";
import type { UndoHost } from "@smith/contract/undo";
import type { Exclusive } from "./context-host.ts";
import type { TurnWorld } from "./world.ts";

/** Loaded when something is taken back first. */
export const lazyUndo = (world: () => TurnWorld, exclusive: Exclusive): UndoHost =>
  Object.freeze({
    undo: async (...asked: Parameters<UndoHost["undo"]>) =>
      (await import("./undo-host.ts")).createUndoHost(world, exclusive).undo(...asked),
  });

/** Loaded when it is first looked into; one for the session, since it knows what can be taken back. */
export function lazyInspect(world: () => TurnWorld, exclusive: Exclusive): InspectHost {
  let made: Promise<InspectHost> | null = null;
  const host = () => {
    made ??= import("./inspect-host.ts").then(({ createInspectHost }) => createInspectHost(world, exclusive));
    return made;
  };
  return Object.freeze<InspectHost>({
    read: async () => (await host()).read(),
    remove: async (seq, seen) => (await host()).remove(seq, seen),
    edit: async (seq, seen, text) => (await host()).edit(seq, seen, text),
    takeBack: async () => (await host()).takeBack(),
  });
}

import type { Config } from "@smith/contract/config";
import { comboOf } from "@smith/terminal";

type Name = keyof Config["ui"]["keys"];

/** What keys are configured for. */
export interface Shortcuts {
  /** Null: the key is for none of them. */
  of(key: string): Name | null;
  /** What can't be taken of the configuration, a sentence each; the default stands in its place. */
  readonly faults: readonly string[];
}

const DEFAULTS: Readonly<Record<Name, string>> = { cancel: "ctrl-c", transcript: "alt-h", inspect: "alt-i" };

/** Ctrl-C and Esc must be left to cancel, and to leave. */
const KEPT: readonly string[] = ["ctrl-c", "escape"];

/** In the order in which they win where two are the same. */
const NAMES: readonly Name[] = ["cancel", "transcript", "inspect"];

export function readShortcuts(keys: Config["ui"]["keys"]): Shortcuts {
  const combos = new Map<Name, string>();
  const faults: string[] = [];
  for (const name of NAMES) {
    const combo = comboOf(keys[name]);
    const fault = faultOf(name, combo, combos);
    if (fault !== null)
      faults.push(`ui.keys.${name} is ${JSON.stringify(keys[name])}: ${fault}. It is ${DEFAULTS[name]} now.`);
    combos.set(name, fault === null && combo !== null ? combo : DEFAULTS[name]);
  }
  return Object.freeze({ of: (key: string) => NAMES.find((name) => combos.get(name) === key) ?? null, faults });
}

function faultOf(name: Name, combo: string | null, taken: ReadonlyMap<Name, string>): string | null {
  if (combo === null) return "expected keys that a terminal sends and nobody types, as alt-h, ctrl-shift-up or F4";
  if (name !== "cancel" && KEPT.includes(combo)) return `${combo} is for cancelling`;
  const other = [...taken].find(([, each]) => each === combo)?.[0];
  return other === undefined ? null : `ui.keys.${other} has it already`;
}

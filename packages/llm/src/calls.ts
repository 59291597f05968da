import type { ToolCall } from "@smith/contract/message";
import { type Balance, createBalance } from "./balance.ts";
import { isObject, textOf, type WireObject } from "./wire.ts";

/** A call under assembly. */
interface Draft {
  readonly index: number | null;
  id: string;
  name: string;
  readonly pieces: string[];
  readonly balance: Balance;
}

/** One delta, read: what it says of itself, `""` where it says nothing. */
interface Fragment {
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export interface Calls {
  /** Takes one element of a `tool_calls` delta. */
  add(delta: unknown): void;
  /** Takes a call that is complete in itself, as a document has them. */
  addWhole(call: unknown): void;
  /** Takes the old single `function_call`; used only when no tool call came. */
  addLegacy(delta: unknown): void;
  readonly count: number;
  /** What was sent but could not be read as a call, one sentence each. */
  readonly warnings: readonly string[];
  /** The calls that have a name, in their order. Ids are unique, also against `taken`; made-up ones begin with `prefix`. */
  finish(taken: ReadonlySet<string>, prefix?: string): readonly ToolCall[];
}

/**
 * Assembles tool calls from deltas. Endpoints disagree on what tells one call from the next (index, id, both, neither,
 * or always index 0), so the fragments decide by both. `toolNames` tells a name in pieces from one that is corrected.
 */
export function createCalls(toolNames: ReadonlySet<string>): Calls {
  const drafts: Draft[] = [];
  const byIndex = new Map<unknown, Draft>();
  const byId = new Map<string, Draft>();
  const warnings: string[] = [];
  let legacy: Draft | null = null;

  const open = (fragment: Fragment): Draft => {
    const draft = emptyDraft(fragment.index);
    drafts.push(draft);
    return draft;
  };
  const extend = (draft: Draft, { id, name, args }: Fragment) => {
    if (id !== "" && id !== draft.id) byId.set(id, draft);
    if (id !== "") draft.id = id;
    if (name !== "") draft.name = joinName(draft.name, name, toolNames);
    if (args !== "") draft.pieces.push(args);
  };
  /** The call that stands where the fragment points to. */
  const standing = (fragment: Fragment): Draft | undefined => {
    const { index, id, name } = fragment;
    const last = drafts.at(-1);
    // A bare piece of arguments under an index never seen belongs to the call before it, not to a nameless one.
    if (isGiven(index)) return byIndex.get(index) ?? (id === "" && name === "" ? last : undefined);
    if (id === "") return last;
    return byId.get(id) ?? (last?.id === "" && name === "" ? last : undefined);
  };
  const read = (delta: unknown): Fragment | null => {
    const fragment = fragmentOf(delta);
    if (fragment === null) warnings.push("A tool call that is no object was dropped.");
    return fragment;
  };
  return {
    add(delta) {
      const fragment = read(delta);
      if (fragment === null) return;
      const current = standing(fragment);
      if (current !== undefined && isRepeat(current, fragment)) return;
      const draft = current === undefined || isNextCall(current, fragment) ? open(fragment) : current;
      if (isGiven(fragment.index)) byIndex.set(fragment.index, draft);
      extend(draft, fragment);
    },
    addWhole(call) {
      const fragment = read(call);
      if (fragment !== null) extend(open(fragment), fragment);
    },
    addLegacy(delta) {
      const fragment = fragmentOf(delta);
      if (fragment === null) return;
      legacy ??= emptyDraft(null);
      extend(legacy, fragment);
    },
    get count() {
      return drafts.length > 0 || legacy === null ? drafts.length : 1;
    },
    warnings,
    finish(taken, prefix = "call_") {
      const all = drafts.length > 0 || legacy === null ? inOrder(drafts) : [legacy];
      const named = all.filter((draft) => draft.name !== "");
      for (let lost = all.length - named.length; lost > 0; lost--)
        warnings.push("A tool call without a name was dropped.");
      return withIds(named, { taken, prefix }, warnings);
    },
  };
}

function fragmentOf(delta: unknown): Fragment | null {
  if (!isObject(delta)) return null;
  const target: WireObject = isObject(delta["function"]) ? delta["function"] : delta;
  return {
    index: delta["index"],
    id: typeof delta["id"] === "number" ? String(delta["id"]) : textOf(delta["id"]),
    name: textOf(target["name"]),
    args: argumentText(target["arguments"]),
  };
}

const argumentText = (args: unknown): string => {
  if (typeof args === "string") return args;
  return args === null || args === undefined ? "" : JSON.stringify(args);
};

const emptyDraft = (index: unknown): Draft => ({
  index: typeof index === "number" ? index : null,
  id: "",
  name: "",
  pieces: [],
  balance: createBalance(),
});

const isGiven = (index: unknown): boolean => index !== null && index !== undefined;

const isWhole = (draft: Draft): boolean => draft.balance.isWhole(draft.pieces);
const isWholeText = (text: string): boolean => createBalance().isWhole([text]);

/** The same call said once more in full, as some gateways do at the end. */
const isRepeat = (current: Draft, { id, args }: Fragment): boolean =>
  id !== "" && id === current.id && args !== "" && isWhole(current) && args === current.pieces.join("");

/** Whether a fragment for the place of `current` begins another call (always index 0, or no index at all). */
function isNextCall(current: Draft, { id, name, args }: Fragment): boolean {
  if (id === "" || current.id === "") return name !== "" && args.trim() !== "" && isWhole(current);
  if (id === current.id) return name !== "" && isWhole(current) && isWholeText(args);
  if (isWhole(current)) return true;
  if (name === "") return false; // the id changed in the middle of a call
  if (name !== current.name) return true;
  // The same tool again: another call, unless this goes on with the arguments.
  return current.pieces.length === 0 && (args.trim() === "" || isWholeText(args));
}

/** The last name wins, unless the two are pieces of the name of a tool that was offered. */
function joinName(had: string, came: string, toolNames: ReadonlySet<string>): string {
  if (had === "" || toolNames.has(came)) return came;
  const joined = had + came;
  for (const name of toolNames) if (name.startsWith(joined)) return joined;
  return came;
}

/** By index where every call has one of its own, else as they came. */
function inOrder(drafts: readonly Draft[]): readonly Draft[] {
  if (!drafts.every((draft) => draft.index !== null)) return drafts;
  return drafts.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
}

interface Minting {
  readonly taken: ReadonlySet<string>;
  readonly prefix: string;
}

function withIds(drafts: readonly Draft[], { taken, prefix }: Minting, warnings: string[]): readonly ToolCall[] {
  const used = new Set(taken);
  // An id that the model gave is kept before any is made up: a made-up one must not take its place.
  const kept = drafts.map(({ id }) => id !== "" && !used.has(id) && used.add(id) !== undefined);
  let n = 0;
  const mint = (): string => {
    let id: string;
    do id = `${prefix}${++n}`;
    while (used.has(id));
    used.add(id);
    return id;
  };
  return drafts.map((draft, at) => {
    const id = kept[at] === true ? draft.id : mint();
    if (draft.id !== "" && draft.id !== id) {
      warnings.push(
        `The tool call id ${JSON.stringify(draft.id.slice(0, 100))} was there twice; one call is now ${id}.`,
      );
    }
    return Object.freeze({ id, name: draft.name, arguments: draft.pieces.join("") });
  });
}

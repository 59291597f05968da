import { AgentError } from "@smith/contract/error";
import type { EventBody } from "@smith/contract/event";
import type { HookedCall, Hooks, HookVerdict } from "@smith/contract/hook";
import { z } from "zod";
import type { Container } from "./contained.ts";
import { lineOf } from "./fault.ts";
import { TooLate, within } from "./limit.ts";
import type { HookContext, HookName, LoadedPlugin, PluginHooks } from "./plugin.ts";

/** What one turn tells the hooks of its plugins. Nothing here throws. */
export interface TurnHooks extends Hooks {
  onRunStart(info: Info<"on_run_start">): Promise<void>;
  onRunEnd(info: Info<"on_run_end">): Promise<void>;
  onDispatchStart(info: Info<"on_dispatch_start">): Promise<void>;
  onDispatchEnd(info: Info<"on_dispatch_end">): Promise<void>;
}

type Info<Name extends HookName> = Parameters<NonNullable<PluginHooks[Name]>>[0];

export interface HookPlace {
  readonly context: HookContext;
  readonly signal: AbortSignal;
  emit(body: EventBody): void;
  /** A frozen copy of plain data. */
  copy<T extends object>(data: T): Readonly<T>;
}

/** Ms a hook has to answer. */
const LIMIT_MS = 5000;
/** Characters of a result that a hook is shown. */
const SUMMARY_CHARS = 300;
/** Characters of a line that a hook adds to a request. */
const NOTE_CHARS = 2000;

/** The hooks of these plugins for one turn, asked in the order of the configuration. Null: they have none. */
export function createTurnHooks(
  plugins: readonly LoadedPlugin[],
  place: HookPlace,
  container: Container,
): TurnHooks | null {
  if (plugins.every(({ plugin }) => Object.keys(plugin.hooks ?? {}).length === 0)) return null;
  const caller = createCaller(place, container);
  const tell =
    <Name extends HookName>(name: Name) =>
    async (info: Info<Name>): Promise<void> => {
      for (const each of plugins) await caller.observe(each, name, info);
    };
  return Object.freeze<TurnHooks>({
    onRunStart: tell("on_run_start"),
    onRunEnd: tell("on_run_end"),
    onDispatchStart: tell("on_dispatch_start"),
    onDispatchEnd: tell("on_dispatch_end"),
    afterCall: (call, { ok, text }) =>
      tell("after_tool_call")({
        ...{ ...call, ok, error: ok ? null : text },
        result_summary: text.slice(0, SUMMARY_CHARS).toWellFormed(),
      }),
    async beforeRequest(request) {
      const notes: string[] = [];
      for (const each of plugins) {
        const note = readNote(await caller.observe(each, "before_llm_call", request));
        if ("note" in note && note.note !== "") notes.push(note.note);
        if ("fault" in note) caller.warn(each, "before_llm_call", note.fault);
      }
      return notes;
    },
    beforeCall: (call) => guard(plugins, call, caller),
  });
}

/** The first that blocks wins; one that wants the user asked lets the others still block. What fails blocks, too. */
async function guard(plugins: readonly LoadedPlugin[], call: HookedCall, caller: Caller): Promise<HookVerdict> {
  let reason: string | null = null;
  for (const each of plugins) {
    const said = await caller.ask(each, "before_tool_call", call);
    const answer = "fault" in said ? said : readAnswer(said.answer);
    const { name } = each.plugin;
    if ("fault" in answer) return blocked(hookError(call, name, answer.fault));
    if (answer.block === true) return blocked(vetoed(name, answer.reason));
    if (answer.ask !== undefined) reason ??= `${name}: ${answer.ask}`;
  }
  return reason === null ? { verdict: "run" } : { verdict: "ask", reason };
}

const blocked = (error: AgentError): HookVerdict => ({ verdict: "block", error });

type Asked = { readonly answer: unknown } | { readonly fault: string; readonly isLate?: boolean };

interface Caller {
  /** Calls one hook of one plugin. */
  ask(plugin: LoadedPlugin, name: HookName, info: object): Promise<Asked>;
  /** The same, where a failure is a warning and the answer then nothing. */
  observe(plugin: LoadedPlugin, name: HookName, info: object): Promise<unknown>;
  warn(plugin: LoadedPlugin, name: HookName, fault: string): void;
  say(level: "info" | "warn", text: string): void;
}

function createCaller(place: HookPlace, container: Container): Caller {
  const context = place.copy(place.context);
  const told = new Set<string>();
  const say: Caller["say"] = (level, text) => {
    if (!told.has(text)) place.emit({ type: "notice", level, text }); // a hook that fails does so at each call
    told.add(text);
  };
  const warn: Caller["warn"] = ({ plugin }, name, fault) =>
    say("warn", `The plugin ${plugin.name}: its ${name} ${fault}.`);
  const ask: Caller["ask"] = async (loaded, name, info) => {
    const { hooks = {}, name: plugin } = loaded.plugin;
    const hook = hooks[name] as ((info: object, context: HookContext) => unknown) | undefined;
    if (hook === undefined) return { answer: undefined };
    return callHook(() => hook.call(hooks, place.copy(info), context), {
      ...{ container, signal: place.signal },
      print: (line) => say("info", `${plugin}: ${line}`),
      late: (thrown) => warn(loaded, name, `threw later on: ${lineOf(thrown)}`),
    });
  };
  const hung = new Set<string>();
  const observe: Caller["observe"] = async (loaded, name, info) => {
    const key = `${name} ${loaded.plugin.name}`;
    if (hung.has(key)) return undefined; // it would take its time at each call
    const asked = await ask(loaded, name, info);
    if (!("fault" in asked)) return asked.answer;
    if (asked.isLate === true) hung.add(key);
    warn(loaded, name, asked.isLate === true ? `${asked.fault}; it is not called again in this turn` : asked.fault);
    return undefined;
  };
  return { ask, observe, warn, say };
}

interface Calling {
  readonly container: Container;
  readonly signal: AbortSignal;
  print(line: string): void;
  /** Told of what it throws, beside its answer, after that was taken. */
  late(thrown: unknown): void;
}

/** Waits for a hook's answer, and for what it throws beside it. */
async function callHook(hook: () => unknown, { container, signal, print, late }: Calling): Promise<Asked> {
  const loose: unknown[] = [];
  let over = false;
  const fault = (thrown: unknown) => (over ? late(thrown) : void loose.push(thrown));
  try {
    // A promise from the start: a hook may throw before it returns one.
    const answer = await within(
      container.run({ print, fault }, async () => hook()),
      LIMIT_MS,
      signal,
    );
    await nextTick(); // until then nobody has said that a rejection was left alone
    return loose.length === 0 ? { answer } : { fault: `threw: ${lineOf(loose[0])}` };
  } catch (thrown) {
    if (thrown instanceof TooLate && signal.aborted) return { answer: undefined }; // it was not given its time
    return thrown instanceof TooLate ? { fault: thrown.message, isLate: true } : { fault: `threw: ${lineOf(thrown)}` };
  } finally {
    over = true;
  }
}

const nextTick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const Guarded = z.strictObject({
  block: z.boolean().optional(),
  reason: z.string().optional(),
  ask: z.string().trim().min(1).optional(),
});

/** An answer that is not understood may have been meant as a veto. */
function readAnswer(answer: unknown): z.infer<typeof Guarded> | { readonly fault: string } {
  if (answer === undefined || answer === null) return {};
  const read = Guarded.safeParse(answer);
  if (read.success) return read.data;
  return { fault: `answered ${lineOf(answer)}, expected nothing, { block, reason } or { ask }` };
}

const Noted = z.strictObject({ note: z.string().optional() });

/** One line: what has more would look like a part of the prompt. */
function readNote(answer: unknown): { readonly note: string } | { readonly fault: string } {
  if (answer === undefined || answer === null) return { note: "" };
  const read = Noted.safeParse(answer);
  if (!read.success) return { fault: `answered ${lineOf(answer)}, expected nothing or { note }` };
  const line = (read.data.note ?? "").replaceAll(/\s+/g, " ").trim();
  return { note: line.slice(0, NOTE_CHARS).toWellFormed() };
}

const vetoed = (plugin: string, reason = ""): AgentError =>
  new AgentError({
    kind: "policy",
    code: "blocked_by_plugin",
    origin: `plugin/${plugin}`,
    message: `blocked_by_plugin: ${reason.trim() === "" ? `plugin-less (${plugin} gave no reason)` : reason.trim()}`,
  });

const hookError = ({ tool_name }: HookedCall, plugin: string, fault: string): AgentError =>
  new AgentError({
    kind: "policy",
    code: "hook_error",
    origin: `plugin/${plugin}`,
    message: `hook_error: ${tool_name} was not run, because before_tool_call of the plugin ${plugin} ${fault}. A guard that fails lets nothing through; the user can mend the plugin, or take it out of plugins.`,
  });

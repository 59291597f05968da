import { AgentError } from "@smith/contract/error";
import type { Conversation } from "@smith/contract/store";
import type { Runtime } from "@smith/runtime";
import { safeLine } from "@smith/terminal/safe";
import type { Args } from "./args.ts";

type Say = (line: string) => void;

/** The conversation that `-c`, `--resume` or `--fork` means; null for a fresh one. */
export async function conversationOf(args: Args, runtime: Runtime, say: Say): Promise<string | null> {
  if (args.fork !== undefined) {
    const { host } = await runtime.start();
    const copy = await host.sessions.fork(args.fork, null);
    say(`smith: going on in ${nameOf(copy)}`);
    return copy.id;
  }
  const wanted = args.continue === true ? "latest" : args.resume;
  if (wanted === undefined) return null;
  const id = await runtime.findConversation(wanted);
  if (id === null) say("smith: there is no conversation to go on with here; starting a new one.");
  return id;
}

/**
 * Puts a shell into the conversation that its flags mean; on a terminal, without such a flag, into this project's last
 * one. Says in a line what it went on with, and what had to be recovered.
 * @throws {AgentError} `persistence`/`conversation_busy` when a flag means one in which another process is at work.
 */
export async function enterConversation(
  args: Args,
  runtime: Runtime,
  { say, interactive }: { readonly say: Say; readonly interactive: boolean },
): Promise<void> {
  const stop = runtime.subscribe((event) => {
    if (event.type === "notice") say(`smith: ${safeLine(event.text)}`);
  });
  try {
    const { host } = await runtime.start();
    const id = await conversationOf(args, runtime, say);
    if (id !== null) await host.session.resume(id);
    else if (interactive && namesNone(args)) await goOn(runtime, say);
  } finally {
    stop();
  }
}

const namesNone = (args: Args): boolean => args.new !== true && args.continue !== true && args.resume === undefined;

/** A session of its own is better than none: when another process is at work in the last one, this one starts afresh. */
async function goOn(runtime: Runtime, say: Say): Promise<void> {
  const { host } = await runtime.start();
  const last = await host.session.last();
  if (last === null) return;
  try {
    const { turns } = await host.session.resume(last.id);
    say(`smith: going on with ${nameOf(last)}, ${turns} ${turns === 1 ? "turn" : "turns"}; /new starts afresh.`);
  } catch (thrown) {
    if (!(thrown instanceof AgentError) || thrown.code !== "conversation_busy") throw thrown;
    const holder = `process ${String(thrown.data["pid"])} is at work in ${nameOf(last)}`;
    say(`smith: ${holder}; starting a new session. --fork ${last.id} goes on in a copy.`);
  }
}

const nameOf = ({ id, name }: Conversation): string => `${id} (${safeLine(name)})`;

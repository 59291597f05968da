import { AgentError } from "@smith/contract/error";
import { type AssistantMessage, type ToolMessage, TranscriptMessage, type UserMessage } from "@smith/contract/message";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import { z } from "zod";
import { mendTranscript } from "./mend.ts";
import type { TurnWorld } from "./world.ts";

type Place = "turn_id" | "round" | "ts";
type Unplaced<M extends TranscriptMessage> = Omit<M, Place> & Partial<Pick<M, Place>>;

/** A message that was said before, here or elsewhere. Its place (`turn_id`, `round`, `ts`) is given anew where it is missing. */
export type HistoryMessage = Unplaced<UserMessage> | Unplaced<AssistantMessage> | Unplaced<ToolMessage>;

/**
 * Begins a fresh conversation that has these messages behind it, each line of the user's with what follows it as one
 * closed turn, and makes it the current one.
 * @throws {AgentError} `schema`/`bad_history`; `persistence` when it can't be written.
 */
export async function beginWith(
  history: readonly HistoryMessage[],
  conversation_id: string | undefined,
  world: TurnWorld,
): Promise<void> {
  if (conversation_id !== undefined) throw bad("conversation_id names a conversation that has its own. Leave one out.");
  const turns = turnsOf(readHistory(history, world.now()));
  const { conversation, persistence } = world.services;
  conversation.leave();
  const { id } = await conversation.enter();
  const opening = { conversation_id: id, project_id: world.projectId(), parent: null, role: world.role() };
  for (const { user, rest } of turns) {
    const { turn_id: _before, ...line } = user;
    const turn = await persistence.turn.open({ ...opening, ts: user.ts, user: line });
    for (const message of rest) await turn.append({ ...message, turn_id: turn.turn_id });
    await turn.close({
      ...{ ts: rest.at(-1)?.ts ?? user.ts, stop_reason: "completed", model: "history", provider: "history" },
      rounds: rest.filter((message) => message.role === "assistant").length,
      tool_calls: rest.filter((message) => message.role === "tool").length,
      ...{ usage: UNKNOWN_USAGE, children: [] },
    });
  }
}

function readHistory(history: readonly HistoryMessage[], now: number): readonly TranscriptMessage[] {
  const messages = history.map((message, at) => {
    const read = TranscriptMessage.safeParse({ turn_id: "t1", round: 0, ts: now, ...message });
    if (read.success) return read.data;
    throw bad(`message ${at} (${String(message?.role)}): ${z.prettifyError(read.error)}`);
  });
  if (messages[0] !== undefined && messages[0].role !== "user") throw bad("it has to begin with a line of the user's.");
  // What it would have to add or leave out is what no endpoint takes.
  const mended = mendTranscript(messages);
  const at = messages.findIndex((message, index) => mended[index] !== message);
  if (at >= 0 || mended.length > messages.length) {
    throw bad(
      `a call without its result, or a result without its call, at message ${at < 0 ? messages.length - 1 : at}.`,
    );
  }
  return messages;
}

interface PastTurn {
  readonly user: UserMessage;
  readonly rest: TranscriptMessage[];
}

function turnsOf(messages: readonly TranscriptMessage[]): readonly PastTurn[] {
  const turns: PastTurn[] = [];
  for (const message of messages) {
    if (message.role === "user") turns.push({ user: message, rest: [] });
    else turns.at(-1)?.rest.push(message);
  }
  return turns;
}

const bad = (why: string): AgentError =>
  new AgentError({
    kind: "schema",
    code: "bad_history",
    origin: "runtime/history",
    message: `history can't be sent: ${why}`,
  });

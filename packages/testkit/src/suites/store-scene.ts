import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import type { OpenTurn, Store, TurnClosing, TurnOpening } from "@smith/contract/store";

export interface StoreUnderTest {
  /** Fresh and empty. */
  readonly store: Store;
  /** Closes the store in use and opens the same data again, as the next process would. */
  reopen(): Promise<Store>;
  /** Closes what is open and removes the data. */
  dispose(): Promise<void>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

export type Case = readonly [title: string, work: (under: StoreUnderTest) => Promise<void>];

export const opening = (conversation_id: string, more: Partial<TurnOpening> & { line?: string } = {}): TurnOpening => {
  const { line = "fix the parser", ...rest } = more;
  const ts = more.ts ?? 1_000;
  const user = { role: "user" as const, content: line, round: 0, ts };
  return { conversation_id, project_id: "p1", parent: null, role: "direct", ts, user, ...rest };
};

export const closing = (ts: number): TurnClosing => ({
  ts,
  stop_reason: "completed",
  model: "m",
  provider: "default",
  rounds: 1,
  tool_calls: 0,
  usage: { ...UNKNOWN_USAGE, input_tokens: 7 },
  children: [],
});

export const answer = (turn_id: string, content: string): TranscriptMessage => ({
  role: "assistant",
  content,
  turn_id,
  round: 1,
  ts: 1_500,
});

/** One whole turn: a line, an answer, closed. */
export async function play(store: Store, turn: TurnOpening, reply = "done"): Promise<OpenTurn> {
  const open = await store.turn.open(turn);
  await open.append(answer(open.turn_id, reply));
  await open.close(closing(turn.ts + 500));
  return open;
}

export const contents = async (store: Store, id: string): Promise<unknown[]> =>
  (await store.conversation.messages(id)).messages.map((message) => message.content);

export const refused = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AgentError ? error.kind : `no AgentError: ${String(error)}`;
};

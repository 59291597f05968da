import { AgentError } from "@smith/contract/error";
import type { SessionsHost } from "@smith/contract/session";
import type { Conversation, Store } from "@smith/contract/store";
import type { ConversationService } from "./conversation.ts";
import { undoneTurns } from "./conversation-marks.ts";
import type { Recovered } from "./recovery.ts";

export interface SessionsParts {
  readonly store: Store;
  readonly conversation: ConversationService;
  /** Of the working directory as it is now. */
  projectId(): string;
  newId(): string;
  now(): number;
  /** Tells of a turn that was completed. */
  tell(recovered: Recovered): Promise<void>;
}

export interface Sessions {
  readonly port: SessionsHost;
  /** @throws {AgentError} `persistence`/`unknown_conversation`. */
  find(wanted: string): Promise<Conversation>;
}

export function createSessions({ store, conversation, projectId, newId, now, tell }: SessionsParts): Sessions {
  const find = async (wanted: string): Promise<Conversation> => {
    const all = await store.conversation.list({ project_id: null, children: true });
    const exact = all.find((each) => each.id === wanted);
    if (exact !== undefined) return exact;
    const own = all.filter((each) => each.project_id === projectId());
    if (wanted === "latest") return own.find(({ parent }) => parent === null) ?? unknownSession(wanted, []);
    const begun = own.filter((each) => wanted !== "" && each.id.startsWith(wanted));
    const [only, ...others] = begun;
    return only === undefined || others.length > 0 ? unknownSession(wanted, begun) : only;
  };
  const port = Object.freeze<SessionsHost>({
    list: ({ children, all }) => store.conversation.list({ project_id: all ? null : projectId(), children }),
    async delete(id) {
      const found = await find(id);
      if (await store.conversation.delete(found.id)) return found;
      return unknownSession(id, []); // another process was faster
    },
    async messages(id, options) {
      const found = await find(id);
      const [{ messages, unreadable }, turns] = [
        await store.conversation.messages(found.id),
        await undoneTurns(found.id, store),
      ];
      const shown = options?.undone === true ? messages : messages.filter(({ turn_id }) => !turns.has(turn_id));
      return { conversation: found, messages: shown, unreadable, undone: [...turns] };
    },
    async rename(id, name) {
      const found = await find(id);
      await store.conversation.rename(found.id, name);
      return (await store.conversation.get(found.id)) ?? unknownSession(id, []);
    },
    async fork(id, turn_id) {
      const from = await find(id);
      const recovered = await conversation.complete(from.id); // only closed turns are copied
      if (recovered !== null) await tell(recovered);
      const copy = { from: from.id, turn_id, id: newId(), name: `${from.name} (fork)`, ts: now() };
      return (await store.conversation.fork(copy)) ?? noSuchTurn(from, turn_id);
    },
  });
  return Object.freeze({ port, find });
}

function unknownSession(wanted: string, begun: readonly Conversation[]): never {
  const why =
    begun.length === 0
      ? "Nothing of this project begins so, and no session of any project is called so. smith sessions list --all shows them."
      : `It begins ${begun.length} ids: ${begun.map(({ id }) => id).join(", ")}.`;
  throw new AgentError({
    kind: "persistence",
    code: "unknown_conversation",
    origin: "runtime/sessions",
    message: `No one session is meant by ${JSON.stringify(wanted)}. ${why}`,
  });
}

function noSuchTurn({ id, turns }: Conversation, turn_id: string | null): never {
  const what =
    turn_id === null
      ? "no finished turn yet: there is nothing to copy"
      : `no finished turn ${JSON.stringify(turn_id)}; its turns are t1 to t${turns}`;
  throw new AgentError({
    kind: "persistence",
    code: "unknown_turn",
    origin: "runtime/sessions",
    message: `The session ${id} has ${what}.`,
  });
}

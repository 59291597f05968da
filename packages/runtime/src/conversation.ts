import { AgentError } from "@smith/contract/error";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Conversation, Store } from "@smith/contract/store";

/** The conversation a runtime is in. Its transcript is read once and then kept up. */
export interface ConversationService {
  /** Null until one was entered or begun. */
  current(): string | null;
  /**
   * The conversation to go on with: the wanted one, else the current one, else a fresh one.
   * @throws {AgentError} `persistence`/`unknown_conversation`.
   */
  enter(wanted?: string): Promise<Entered>;
  /** Messages that a turn added to the current one. */
  add(messages: readonly TranscriptMessage[]): void;
  /** The next turn opens a fresh one. */
  leave(): void;
  list(project_id: string): Promise<readonly Conversation[]>;
  /**
   * What an id, a unique beginning of one, or `latest` means in a project; null when `latest` finds none.
   * @throws {AgentError} `persistence`/`unknown_conversation` when it means none, or more than one.
   */
  find(wanted: string, project_id: string): Promise<string | null>;
}

export interface Entered {
  readonly id: string;
  readonly history: readonly TranscriptMessage[];
  /** Stored messages that could not be read. */
  readonly unreadable: number;
}

export function createConversationService(store: Store, newId: () => string): ConversationService {
  let id: string | null = null;
  let history: TranscriptMessage[] = [];
  const list = (project_id: string) => store.conversation.list({ project_id, children: false });
  return Object.freeze({
    current: () => id,
    async enter(wanted?: string): Promise<Entered> {
      let unreadable = 0;
      if (wanted !== undefined && wanted !== id) {
        if ((await store.conversation.get(wanted)) === null) throw unknown(wanted);
        const stored = await store.conversation.messages(wanted);
        history = [...stored.messages];
        unreadable = stored.unreadable;
        id = wanted;
      }
      id ??= newId();
      return { id, history: [...history], unreadable };
    },
    add: (messages: readonly TranscriptMessage[]) => void history.push(...messages),
    leave() {
      id = null;
      history = [];
    },
    list,
    async find(wanted: string, project_id: string) {
      const known = await list(project_id);
      return wanted === "latest" ? (known[0]?.id ?? null) : match(wanted, known);
    },
  });
}

function match(wanted: string, known: readonly Conversation[]): string {
  const matches = known.filter((each) => each.id.startsWith(wanted));
  const exact = matches.find((each) => each.id === wanted) ?? (matches.length === 1 ? matches[0] : undefined);
  if (exact !== undefined) return exact.id;
  if (matches.length === 0) throw unknown(wanted);
  throw unknown(wanted, `It begins ${matches.length} ids: ${matches.map((each) => each.id).join(", ")}.`);
}

const unknown = (id: string, why = "--resume latest goes on with the newest."): AgentError =>
  new AgentError({
    kind: "persistence",
    code: "unknown_conversation",
    origin: "runtime/conversation",
    message: `No one conversation of this project is meant by ${JSON.stringify(id)}. ${why}`,
  });

/** Ten characters of base 32: short to type, hard to hit twice. */
export function newConversationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return Array.from(bytes, (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31]).join("");
}

import type { CommandHost } from "@smith/contract/command";
import { AgentError } from "@smith/contract/error";
import type { AgentEvent } from "@smith/contract/event";
import {
  createLayOut,
  createPager,
  drawPager,
  type Key,
  loadMarkdown,
  type PagerDocument,
  type PagerSize,
  pressPager,
  refitPager,
  reloadPager,
  toEnd,
  transcriptDocument,
} from "@smith/terminal";
import type { FullView, MakeView } from "./stage.ts";
import type { Look } from "./terminal.ts";

export interface PagerPorts {
  readonly look: Look;
  /** What goes on besides, for the status row; empty: nothing. */
  news(): string;
  /** Hands a text to the terminal's clipboard. */
  copy(text: string): void;
}

export interface Paged {
  read(): Promise<PagerDocument>;
  /** It opens at its end, and is read anew as it grows. */
  readonly grows: boolean;
}

/** The whole conversation that the session is in. */
export const pagedTranscript = ({ session, sessions }: Pick<CommandHost, "session" | "sessions">): Paged => ({
  grows: true,
  async read() {
    const id = session.conversation();
    const none = { messages: [], unreadable: 0, undone: [] };
    return transcriptDocument(id === null ? none : await sessions.messages(id).catch(beforeItsFirstTurn));
  },
});

/** Nothing of a conversation is stored before its first turn begins. */
function beforeItsFirstTurn(thrown: unknown) {
  if (thrown instanceof AgentError && thrown.code === "unknown_conversation") {
    return { messages: [], unreadable: 0, undone: [] };
  }
  throw thrown;
}

/** One text, as Markdown. */
export const pagedText = (title: string, text: string): Paged => ({
  grows: false,
  read: async () => ({ title, sections: [{ id: "text", title: "", kind: "note", text, markdown: true }] }),
});

/** After these the transcript may have grown. */
const GROWTH: ReadonlySet<AgentEvent["type"]> = new Set([
  ...([
    "llm_request_completed",
    "llm_request_cancelled",
    "tool_execution_finished",
    "tool_execution_cancelled",
  ] as const),
  ...(["turn_persisted", "turn_started"] as const),
]);

/** Whether the conversation's own transcript may be longer now. */
export const hasGrown = ({ source_role, type }: AgentEvent): boolean => source_role === undefined && GROWTH.has(type);

/** Reads anew, one reading at a time, once for all that came meanwhile. When one fails, what is shown stays. */
export function createReload(read: () => Promise<void>): () => void {
  /** How often it was asked for since the last reading began. */
  let asked = 0;
  const readAll = async () => {
    while (asked > 0) {
      asked = 1;
      await read();
      asked--;
    }
  };
  return () => {
    if (asked++ > 0) return;
    void readAll().catch(() => {
      asked = 0;
    });
  };
}

/** A pager with the terminal to itself. */
export const viewPager =
  ({ read, grows }: Paged, { look, news, copy }: PagerPorts): MakeView =>
  async (changed, done) => {
    const { screen, theme, unicode } = look;
    const [document, drawMarkdown] = await Promise.all([read(), loadMarkdown(theme)]);
    const layOut = createLayOut({ theme, unicode, drawMarkdown });
    const size = (): PagerSize => ({ ...screen.size(), layOut });
    let state = createPager(document);
    if (grows) state = toEnd(state, size());
    const reload = createReload(async () => {
      state = reloadPager(state, await read(), size());
      changed();
    });
    return Object.freeze<FullView>({
      onKey(key: Key) {
        state = pressPager(state, key, size());
        if (state.effect?.type === "quit") return done();
        if (state.effect?.type === "copy") copy(state.effect.text);
        changed();
      },
      onEvent(event: AgentEvent) {
        if (grows && hasGrown(event)) reload();
      },
      rows() {
        state = refitPager(state, size());
        return drawPager(state, size(), { theme, unicode, news: news() });
      },
    });
  };

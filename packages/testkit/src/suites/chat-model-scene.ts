import { type Cancel, createCancel } from "@smith/contract/cancel";
import type { ChatDelta, ChatModel, ChatReply, ChatRequest } from "@smith/contract/model";
import type { Step } from "../script.ts";
import { type ScriptedLlm, startScriptedLlm } from "../scripted-model.ts";
import { chatCompletions } from "../wires/chat-completions.ts";
import type { Wire } from "../wires/wire.ts";

/** Makes the model under test for a server's base address, `http://127.0.0.1:PORT/v1`. */
export type MakeChatModel = (url: string) => ChatModel | Promise<ChatModel>;

export interface ChatModelSuiteOptions {
  /** The provider's format; default Chat Completions. */
  readonly wire?: Wire;
  /** False: the model asks for whole documents and shows no deltas. Default true. */
  readonly streams?: boolean;
  /** Cases that a model is known not to keep: the beginning of a title, and why. */
  readonly gaps?: Readonly<Record<string, string>>;
}

/** One sentence of the port, the answers it is tried with, and the trial. */
export interface Case {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly piece_bytes?: number;
  readonly only_streaming?: boolean;
  work(played: Played): Promise<void>;
}

export interface Played {
  readonly llm: ScriptedLlm;
  readonly cancel: Cancel;
  readonly streams: boolean;
  readonly deltas: readonly ChatDelta[];
  /** What was shown, of one kind. */
  shown(type: ChatDelta["type"]): string;
  /** Resolves when exactly this text was shown. */
  untilShown(text: string): Promise<void>;
  chat(request?: Partial<ChatRequest>): Promise<ChatReply>;
}

export const HELLO: ChatRequest = {
  model: "scripted",
  messages: [
    { role: "system", content: "You are Smith." },
    { role: "user", content: "hello", turn_id: "t1", round: 0, ts: 1 },
  ],
  tools: [],
};

/** Starts a server with the case's steps, runs its work, and checks that the script was kept to. */
export async function playCase(
  { steps, piece_bytes = 7, work }: Case,
  make: MakeChatModel,
  { wire = chatCompletions, streams = true }: ChatModelSuiteOptions,
): Promise<void> {
  await using llm = await startScriptedLlm(steps, { wire, piece_bytes });
  using cancel = createCancel();
  const model = await make(llm.url);
  await work({ llm, cancel, streams, ...listen(model, cancel.signal) });
}

/** Asks the model and keeps what it shows. */
function listen(model: ChatModel, signal: AbortSignal): Pick<Played, "deltas" | "shown" | "untilShown" | "chat"> {
  const deltas: ChatDelta[] = [];
  const watchers: (() => void)[] = [];
  const shown = (type: ChatDelta["type"]) =>
    deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join("");
  const onDelta = (delta: ChatDelta) => {
    deltas.push(delta);
    for (const look of watchers) look();
  };
  return {
    deltas,
    shown,
    untilShown: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (shown("text") === text) resolve();
        };
        watchers.push(look);
        look();
      }),
    chat(request) {
      const reply = model.chat({ ...HELLO, ...request }, { signal, onDelta });
      reply.catch(() => {}); // a test may look at something else first; it awaits the promise itself later
      return reply;
    },
  };
}

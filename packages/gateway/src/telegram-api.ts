import type { Update } from "grammy/types";
import type { AdapterParts } from "./adapter.ts";
import { ComeAgain, FatalClose } from "./reconnect.ts";

/** What is asked of Telegram. Every method waits for what Telegram says about coming again. */
export interface TelegramApi {
  /** The bot's user name. */
  name(signal: AbortSignal): Promise<string>;
  updates(offset: number, signal: AbortSignal): Promise<readonly Update[]>;
  /** Returns the id of the message. */
  send(chat: number, text: string, replyTo?: number): Promise<string>;
  edit(chat: number, id: string, text: string): Promise<void>;
}

/** Seconds that a poll waits for something to come, and until it is given up. */
const POLL_S = 50;
const POLL_LIMIT_S = 60;
const SEND_LIMIT_S = 30;
const TRIES = 4;
/** Ms between the tries of sending; Telegram may ask for more. */
const RETRY_MS = 1000;
const LONGEST_WAIT_S = 60;

export async function openTelegram(
  token: string,
  { url, wait: { sleep } }: Pick<AdapterParts, "url" | "wait">,
): Promise<TelegramApi> {
  const { Api, GrammyError, HttpError } = await import("grammy");
  const options = { timeoutSeconds: POLL_LIMIT_S, ...(url === undefined ? {} : { apiRoot: url }) };
  const [poll, api] = [new Api(token, options), new Api(token, { ...options, timeoutSeconds: SEND_LIMIT_S })];

  /** In the words of {@link keepConnected}: what is over, what may be tried again, and when. */
  const explain = (thrown: unknown): unknown => {
    if (thrown instanceof HttpError) return new Error("Telegram can't be reached");
    if (!(thrown instanceof GrammyError)) return thrown;
    const { error_code, description, parameters } = thrown;
    if (error_code === 401 || error_code === 404) {
      return new FatalClose(`Telegram refuses the token (${error_code}). Set SMITH_TELEGRAM_TOKEN to the bot's own.`);
    }
    const text = `Telegram answered ${error_code}: ${description}`;
    return parameters.retry_after === undefined ? new Error(text) : new ComeAgain(text, parameters.retry_after * 1000);
  };
  const asking = <T>(work: Promise<T>): Promise<T> => work.catch((thrown: unknown) => Promise.reject(explain(thrown)));

  /** Ms until a message may be sent again; null when it is refused for good, or too much is asked for. */
  const waitFor = (thrown: unknown, n: number): number | null => {
    const isTelegram = thrown instanceof GrammyError;
    const wait_s = isTelegram ? (thrown.parameters.retry_after ?? 0) : 0;
    const isRefused = isTelegram && thrown.error_code !== 429 && thrown.error_code < 500;
    if (isRefused || n === TRIES || wait_s > LONGEST_WAIT_S) return null;
    return Math.max(wait_s * 1000, RETRY_MS * 2 ** (n - 1));
  };
  const sending = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let n = 1; ; n++) {
      try {
        return await work();
      } catch (thrown) {
        const wait = waitFor(thrown, n);
        if (wait === null) throw explain(thrown);
        await sleep(wait, NEVER);
      }
    }
  };

  return Object.freeze({
    name: async (signal: AbortSignal) => (await asking(poll.getMe(signal as Signal))).username,
    updates: (offset: number, signal: AbortSignal) =>
      asking(poll.getUpdates({ offset, timeout: POLL_S, allowed_updates: ["message"] }, signal as Signal)),
    async send(chat: number, text: string, replyTo?: number) {
      const answered = { message_id: replyTo ?? 0, allow_sending_without_reply: true };
      const other = {
        link_preview_options: { is_disabled: true },
        ...(replyTo === undefined ? {} : { reply_parameters: answered }),
      };
      return String((await sending(() => api.sendMessage(chat, text, other))).message_id);
    },
    async edit(chat: number, id: string, text: string) {
      await sending(() => api.editMessageText(chat, Number(id), text, { link_preview_options: { is_disabled: true } }));
    },
  });
}

/** grammy's types know the signal of a package that Node 20 has no need of. */
type Signal = Parameters<import("grammy").Api["getMe"]>[0];

const NEVER = new AbortController().signal;

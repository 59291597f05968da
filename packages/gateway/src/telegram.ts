import type { Message, Update } from "grammy/types";
import type { AdapterParts } from "./adapter.ts";
import { createDue, type Due } from "./due.ts";
import { createLive } from "./live.ts";
import type { Adapter, Receive } from "./platform.ts";
import { keepConnected } from "./reconnect.ts";
import { NO_MEDIA } from "./reply.ts";
import { split } from "./split.ts";
import { openTelegram, type TelegramApi } from "./telegram-api.ts";

/** Characters of a message at most. */
const LIMIT = 4096;
/** What a user may send that is no text; what the platform itself tells of (somebody joined) is not answered. */
const MEDIA = [
  ...["photo", "voice", "audio", "document", "video", "video_note", "animation", "sticker"],
  ...["location", "contact", "poll", "dice", "story", "venue"],
];

/** Telegram by long polling; a batch is confirmed when all of it is written down. */
export function createTelegram({ token, ...parts }: AdapterParts & { readonly token: string }): Adapter {
  const stop = new AbortController();
  let api: TelegramApi | null = null;
  let due: Due | null = null;
  let polling: Promise<void> = Promise.resolve();
  const say = (line: string) => parts.say(`telegram: ${line}`);

  const take = async (update: Update, me: string): Promise<void> => {
    const { message } = update;
    if (message?.from === undefined || message.from.is_bot || api === null || due === null) return;
    const { from, chat } = message;
    const sender = {
      user: { id: String(from.id), name: from.username ?? null },
      chat: { id: String(chat.id), name: null },
    };
    const text = textOf(message, me);
    if (text === null || !parts.isWelcome(sender)) return;
    if (text === undefined) return due.tell(String(chat.id), api.send(chat.id, NO_MEDIA, replyTo(message)));
    const live = createLive(wireOf(api, message));
    await due.take(
      {
        ...{ platform: "telegram", chat_id: String(chat.id), user_id: String(from.id), text },
        message_id: String(update.update_id),
      },
      { watcher: { progress: live.progress }, send: (reply) => live.finish(split(reply, { limit: LIMIT })) },
    );
  };

  return Object.freeze({
    name: "telegram",
    async start(receive: Receive) {
      const opened = await openTelegram(token, parts);
      api = opened;
      due = createDue(receive, say);
      let offset = 0;
      let me: string | null = null;
      const session = async (ready: () => void, signal: AbortSignal): Promise<void> => {
        me ??= await opened.name(signal);
        for (;;) {
          const updates = await opened.updates(offset, signal);
          ready();
          for (const update of updates) await take(update, me);
          offset = Math.max(offset, ...updates.map(({ update_id }) => update_id + 1));
        }
      };
      say("polling.");
      polling = keepConnected(session, { wait: parts.wait, signal: stop.signal, say, fail: parts.fail });
    },
    async stop(late: AbortSignal) {
      stop.abort();
      await polling;
      await due?.settled(late);
    },
    async deliver(chat_id: string, reply: string) {
      for (const piece of split(reply, { limit: LIMIT })) await api?.send(Number(chat_id), piece);
    },
  });
}

const wireOf = (api: TelegramApi, message: Message) => {
  let first = replyTo(message);
  return {
    async send(text: string) {
      const id = await api.send(message.chat.id, text, first);
      first = undefined;
      return id;
    },
    edit: (id: string, text: string) => api.edit(message.chat.id, id, text),
  };
};

/** In a group it is seen which message is answered. */
const replyTo = ({ chat, message_id }: Message): number | undefined =>
  chat.type === "private" ? undefined : message_id;

/** A message's text without the name it is called by; undefined for a medium, null for what is no message of a user's. */
function textOf(message: Message, me: string): string | undefined | null {
  if (message.text === undefined) return MEDIA.some((kind) => kind in message) ? undefined : null;
  const text = message.text.replace(new RegExp(`^\\s*@${me}\\b[,:]?\\s*`, "i"), "");
  return text.trim() === "" ? null : text;
}

import type { AdapterParts } from "./adapter.ts";
import { createDue, type Due } from "./due.ts";
import { type IrcLine, oneLine } from "./irc.ts";
import { createOutbox } from "./outbox.ts";
import type { Adapter, Receive } from "./platform.ts";
import { keepConnected } from "./reconnect.ts";
import { split } from "./split.ts";
import { createTwitchSession } from "./twitch-session.ts";

export interface TwitchParts extends AdapterParts {
  readonly token: string;
  readonly nick: string;
  readonly channels: readonly string[];
}

const URL = "wss://irc-ws.chat.twitch.tv:443";
/** Bytes of a line with all that stands around the text, its end included. */
const LINE_BYTES = 512;
/** Put before a piece that would be a command. */
const DOT = "· ";

/** Twitch chat: IRC over a WebSocket. */
export function createTwitch({ token, nick, channels, ...parts }: TwitchParts): Adapter {
  const stop = new AbortController();
  const me = nick.toLowerCase();
  const rooms = channels.map((channel) => channel.toLowerCase().replace(/^#/, ""));
  const say = (line: string) => parts.say(`twitch: ${line}`);
  const outbox = createOutbox(parts.wait, stop.signal);
  let due: Due | null = null;
  let connected: Promise<void> = Promise.resolve();

  const send = async (room: string, reply: string): Promise<void> => {
    for (const piece of piecesOf(reply, me, room)) await outbox.put(`PRIVMSG #${room} :${piece}`);
  };
  const take = ({ tags, nick: login, params }: IrcLine): void => {
    const [room = "", text = ""] = [params[0]?.replace(/^#/, "").toLowerCase(), params[1]];
    const user = { id: tags.get("user-id") ?? null, name: login };
    const chat = { id: tags.get("room-id") ?? null, name: room };
    if (login.toLowerCase() === me || text.trim() === "" || due === null) return;
    if (!parts.isWelcome({ user, chat })) return;
    const user_id = user.id ?? login;
    const message = { platform: "twitch", chat_id: room, user_id, text, message_id: tags.get("id") ?? null } as const;
    void due.take(message, { send: (reply) => send(room, reply) });
  };

  return Object.freeze({
    name: "twitch",
    async start(receive: Receive) {
      const { WebSocket: Socket } = await import("ws");
      due = createDue(receive, say);
      const greeting = [
        "CAP REQ :twitch.tv/tags twitch.tv/commands",
        `PASS ${token.startsWith("oauth:") ? token : `oauth:${token}`}`,
        `NICK ${me}`,
      ];
      const session = createTwitchSession(() => new Socket(parts.url ?? URL), { greeting, rooms, outbox, take });
      say("connecting.");
      connected = keepConnected(session, { wait: parts.wait, signal: stop.signal, say, fail: parts.fail });
    },
    async stop(late: AbortSignal) {
      // The connection stays until the answers are out: they have no other way.
      await due?.settled(late);
      stop.abort();
      await connected;
    },
    deliver: send,
  });
}

/** What is said in one line each: it may be no command, and has room for what the server puts before it. */
function piecesOf(reply: string, nick: string, room: string): readonly string[] {
  const around = `:${nick}!${nick}@${nick}.tmi.twitch.tv PRIVMSG #${room} :\r\n`;
  const limit = LINE_BYTES - Buffer.byteLength(around + DOT);
  const size = (text: string) => Buffer.byteLength(text);
  return split(oneLine(reply), { limit, size, fences: false }).map((piece) =>
    /^[./]/.test(piece) ? `· ${piece}` : piece,
  );
}

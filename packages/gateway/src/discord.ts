import type { Client, GatewayMessageCreateDispatchData, REST } from "discord.js";
import type { AdapterParts } from "./adapter.ts";
import { createDue, type Due } from "./due.ts";
import { createLive } from "./live.ts";
import type { Adapter, Receive } from "./platform.ts";
import { FatalClose, keepConnected, type Session } from "./reconnect.ts";
import { NO_MEDIA } from "./reply.ts";
import { split } from "./split.ts";

/** Characters of a message at most. */
const LIMIT = 2000;
/** Kinds of messages that somebody wrote: by itself, and as a reply. The others tell of who joined, and the like. */
const TEXTS: ReadonlySet<number> = new Set([0, 19]);

/** As it comes: the library's own messages need a channel in its cache, which a first one does not have. */
type Incoming = GatewayMessageCreateDispatchData;

/** Discord's gateway for what comes in, its REST API for what goes out. */
export function createDiscord({ token, ...parts }: AdapterParts & { readonly token: string }): Adapter {
  const stop = new AbortController();
  const say = (line: string) => parts.say(`discord: ${line}`);
  let due: Due | null = null;
  let wire: Wire | null = null;
  let connected: Promise<void> = Promise.resolve();

  const take = async (message: Incoming, me: string): Promise<void> => {
    const { author, channel_id, id, type } = message;
    if (author.bot === true || !TEXTS.has(type) || wire === null || due === null) return;
    if (!parts.isWelcome({ user: { id: author.id, name: author.username }, chat: { id: channel_id, name: null } }))
      return;
    const text = message.content.replace(new RegExp(`^\\s*<@!?${me}>\\s*`), "");
    if (text.trim() === "") {
      if (message.attachments.length > 0) due.tell(channel_id, wire.send(channel_id, NO_MEDIA));
      return;
    }
    const { send, edit } = wire;
    const live = createLive({ send: (said) => send(channel_id, said), edit: (at, said) => edit(channel_id, at, said) });
    await due.take(
      { platform: "discord", chat_id: channel_id, user_id: author.id, text, message_id: id },
      { watcher: { progress: live.progress }, send: (reply) => live.finish(split(reply, { limit: LIMIT })) },
    );
  };

  return Object.freeze({
    name: "discord",
    async start(receive: Receive) {
      const library = await import("discord.js");
      const rest = parts.url === undefined ? {} : { api: `${parts.url}/api` };
      wire = createWire(new library.REST({ version: "10", ...rest }).setToken(token), library.Routes);
      due = createDue(receive, say);
      const session = createSession(library, { token, rest, onMessage: (message, me) => void take(message, me) });
      say("connecting.");
      connected = keepConnected(session, { wait: parts.wait, signal: stop.signal, say, fail: parts.fail });
    },
    async stop(late: AbortSignal) {
      stop.abort();
      await connected;
      await due?.settled(late);
    },
    async deliver(chat_id: string, reply: string) {
      for (const piece of split(reply, { limit: LIMIT })) await wire?.send(chat_id, piece);
    },
  });
}

interface Wire {
  /** Returns the id of the message. */
  send(channel: string, content: string): Promise<string>;
  edit(channel: string, id: string, content: string): Promise<void>;
}

/** The library waits where Discord asks for it, and tries again what failed on Discord's side. Nobody is pinged. */
const createWire = (rest: REST, routes: typeof import("discord.js").Routes): Wire => {
  const body = (content: string) => ({ body: { content, allowed_mentions: { parse: [] } } });
  return Object.freeze({
    async send(channel: string, content: string) {
      const made = (await rest.post(routes.channelMessages(channel), body(content))) as { readonly id: string };
      return made.id;
    },
    async edit(channel: string, id: string, content: string) {
      await rest.patch(routes.channelMessage(channel, id), body(content));
    },
  });
};

interface SessionParts {
  readonly token: string;
  readonly rest: { readonly api?: string };
  onMessage(message: Incoming, me: string): void;
}

/** Closes after which Discord must not be asked again. */
const FATAL_CLOSES: ReadonlySet<number> = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
/** The library's own words for them, where they come as an error. */
const FATAL_WORDS =
  /^(?:Authentication failed|Invalid shard|Sharding is required|Used (?:an invalid API version|invalid intents|disallowed intents))$/;

/**
 * One client from login to its loss. The library resumes a lost connection by itself, every half second; when that fails a
 * second time in a row the client is given up, so that the next one is tried later and later.
 */
function createSession(library: typeof import("discord.js"), { token, rest, onMessage }: SessionParts): Session {
  return async (ready, signal) => {
    let isOver = false;
    const client = createClient(library, rest, () => isOver);
    const { Events } = library;
    let leave = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        let losses = 0;
        const isUp = () => {
          losses = 0;
          ready();
        };
        leave = () => resolve();
        signal.addEventListener("abort", leave, { once: true });
        client.on(Events.ClientReady, isUp);
        client.on(Events.ShardResume, isUp);
        client.on(Events.ShardReady, isUp);
        client.on(Events.ShardReconnecting, () => {
          if (++losses > 1) reject(new Error("the connection to Discord is lost"));
        });
        client.on(Events.ShardDisconnect, ({ code }) => reject(closeError(code)));
        client.on(Events.ShardError, (error) => reject(explain(error)));
        client.on(Events.Error, (error) => reject(explain(error)));
        client.on(Events.Raw, (packet: { readonly t: string | null; readonly d: unknown }) => {
          if (packet.t === "MESSAGE_CREATE" && !isOver) onMessage(packet.d as Incoming, client.user?.id ?? "");
        });
        client.login(token).catch((thrown: unknown) => reject(explain(thrown)));
      });
    } finally {
      isOver = true;
      signal.removeEventListener("abort", leave); // the signal outlives many connections
      await client.destroy().catch(() => {}); // it is given up: how it ends is no matter
    }
  };
}

/** @param isOver a client that was given up must not connect again; the library, once it waits to, can't be stopped. */
function createClient(library: typeof import("discord.js"), rest: object, isOver: () => boolean): Client {
  const { Client, GatewayIntentBits, SimpleShardingStrategy } = library;
  const { GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return new Client({
    intents: [GuildMessages, DirectMessages, MessageContent],
    rest,
    ws: {
      buildStrategy(manager) {
        const { retrieveSessionInfo } = manager.options;
        manager.options.retrieveSessionInfo = (id) => (isOver() ? new Promise(() => {}) : retrieveSessionInfo(id));
        return new SimpleShardingStrategy(manager);
      },
    },
  });
}

const closeError = (code: number): Error =>
  FATAL_CLOSES.has(code)
    ? new FatalClose(`Discord closed the connection for good (${code}). Look at the bot's token and its intents.`)
    : new Error(`Discord closed the connection (${code})`);

function explain(thrown: unknown): Error {
  const { message, code } = thrown as { readonly message?: string; readonly code?: unknown };
  const isFatal = code === "TokenInvalid" || FATAL_WORDS.test(message ?? "");
  if (!isFatal) return new Error(`Discord can't be reached: ${message}`);
  return new FatalClose(`${message}. Look at SMITH_DISCORD_TOKEN and at the bot's intents (Message Content).`);
}

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

export interface DiscordSent {
  readonly method: string;
  readonly channel: string;
  readonly content: string;
  readonly allowed_mentions: object;
}

/** Discord's REST API and its gateway on this machine. */
export interface FakeDiscord {
  readonly url: string;
  readonly sent: readonly DiscordSent[];
  /** How each connection began: `identify` or `resume`, in order. */
  readonly logins: readonly string[];
  /** The intents of the last identify. */
  intents(): number;
  push(content: string, from?: { user?: string; channel?: string; bot?: boolean }): void;
  /** Closes the open connection; new ones are closed at once with the codes that follow. */
  close(code: number, ...next: readonly number[]): void;
  refuse(...statuses: readonly number[]): void;
  until(holds: () => boolean): Promise<void>;
}

export async function fakeDiscord(token = "d-token"): Promise<FakeDiscord> {
  const [sent, logins]: [DiscordSent[], string[]] = [[], []];
  const watching = new Set<() => void>();
  const tell = () => {
    for (const look of watching) look();
  };
  let [intents, sequence, messages] = [0, 0, 0];
  let open: WebSocket | null = null;
  let closes: number[] = [];
  let refusals: number[] = [];

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const [status, json] = answer(request, text);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
    tell();
  });
  const answer = (request: IncomingMessage, text: string): readonly [number, object] => {
    const reply = (code: number, json: object) => [code, json] as const;
    if (request.headers.authorization !== `Bot ${token}`) return reply(401, { message: "401: Unauthorized", code: 0 });
    if (request.url === "/api/v10/gateway/bot") {
      const session_start_limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 };
      return reply(200, { url: `ws://127.0.0.1:${port}`, shards: 1, session_start_limit });
    }
    const [, channel, id] = /^\/api\/v10\/channels\/(\w+)\/messages(?:\/(\w+))?$/.exec(request.url ?? "") ?? [];
    if (channel === undefined) return reply(404, { message: "404", code: 0 });
    const status = refusals.shift();
    if (status !== undefined) return reply(status, { message: "no", code: 0, retry_after: 0.2, global: false });
    const body = JSON.parse(text) as { content: string; allowed_mentions: object };
    if (body.content.length > 2000 || body.content.trim() === "")
      return reply(400, { message: "Invalid", code: 50_035 });
    sent.push({ method: request.method ?? "", channel, ...body });
    return reply(200, { id: id ?? `r${++messages}` });
  };
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    const send = (op: number, d: unknown, t: string | null = null) =>
      socket.send(JSON.stringify({ op, d, t, s: t === null ? null : ++sequence }));
    const code = closes.shift();
    if (code !== undefined) {
      logins.push("closed");
      tell();
      return socket.close(code);
    }
    send(10, { heartbeat_interval: 40_000 });
    socket.on("message", (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: { intents: number } };
      if (op === 1) return send(11, null);
      if (op !== 2 && op !== 6) return;
      open = socket;
      logins.push(op === 2 ? "identify" : "resume");
      if (op === 6) send(0, {}, "RESUMED");
      else {
        intents = d.intents;
        const user = { id: "99", username: "smith", discriminator: "0", bot: true };
        const more = { guilds: [], shard: [0, 1], application: { id: "99", flags: 0 } };
        const session = { session_id: "s", resume_gateway_url: `ws://127.0.0.1:${port}` };
        send(0, { v: 10, user, ...more, ...session }, "READY");
      }
      tell();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close().closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ sent, logins, intents: () => intents },
    push(content, { user = "7", channel = "70", bot = false } = {}) {
      const author = { id: user, username: `user${user}`, discriminator: "0", bot, avatar: null };
      const fields = {
        mentions: [],
        mention_roles: [],
        attachments: [],
        embeds: [],
        type: 0,
        pinned: false,
        tts: false,
      };
      const times = { timestamp: new Date(0).toISOString(), edited_timestamp: null, mention_everyone: false };
      const d = { id: String(++messages + 5000), channel_id: channel, author, content, ...fields, ...times };
      open?.send(JSON.stringify({ op: 0, t: "MESSAGE_CREATE", s: ++sequence, d }));
    },
    close(code, ...next) {
      closes = [...next];
      open?.close(code);
    },
    refuse(...statuses) {
      refusals = [...statuses];
    },
    until: (holds) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!holds()) return;
          watching.delete(look);
          resolve();
        };
        watching.add(look);
        look();
      }),
  };
}

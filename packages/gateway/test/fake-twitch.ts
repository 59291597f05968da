import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** Twitch's chat server on this machine. */
export interface FakeTwitch {
  readonly url: string;
  /** Every line that came in, and `open` for each connection. */
  readonly lines: readonly string[];
  /** The texts that were said in a channel. */
  said(channel: string): readonly string[];
  say(text: string, from?: { login?: string; id?: string; channel?: string }): void;
  raw(line: string): void;
  /** Ends the open connection. */
  drop(): void;
  until(holds: () => boolean): Promise<void>;
}

export async function fakeTwitch(password = "oauth:tw"): Promise<FakeTwitch> {
  const lines: string[] = [];
  const watching = new Set<() => void>();
  let open: WebSocket | null = null;
  let count = 0;
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const take = (line: string, socket: WebSocket) => {
    lines.push(line);
    if (line === `PASS ${password}`) open = socket;
    else if (line.startsWith("PASS")) socket.send(":tmi.twitch.tv NOTICE * :Login authentication failed\r\n");
    if (line.startsWith("NICK") && open === socket) socket.send(":tmi.twitch.tv 001 smithbot :Welcome, GLHF!\r\n");
    for (const look of watching) look();
  };
  server.on("connection", (socket) => {
    take("open", socket);
    socket.on("message", (data) => {
      for (const line of String(data).split("\r\n")) if (line !== "") take(line, socket);
    });
  });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    said: (channel) =>
      lines
        .filter((line) => line.startsWith(`PRIVMSG #${channel} :`))
        .map((line) => line.slice(`PRIVMSG #${channel} :`.length)),
    say(text, { login = "ann", id = "7", channel = "room" } = {}) {
      const tags = `@badge-info=;display-name=Ann\\sB;id=m${++count};user-id=${id}`;
      open?.send(`${tags} :${login}!${login}@${login}.tmi.twitch.tv PRIVMSG #${channel} :${text}\r\n`);
    },
    raw: (line) => open?.send(`${line}\r\n`),
    drop: () => open?.terminate(),
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

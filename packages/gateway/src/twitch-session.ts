import type WebSocket from "ws";
import { type IrcLine, parseIrc } from "./irc.ts";
import type { Outbox } from "./outbox.ts";
import { FatalClose, type Session } from "./reconnect.ts";

export interface TwitchSessionParts {
  /** What is sent first. */
  readonly greeting: readonly string[];
  readonly rooms: readonly string[];
  readonly outbox: Outbox;
  take(line: IrcLine): void;
}

/** Ms of silence after which a connection counts as dead; Twitch pings every five minutes. */
const SILENCE_MS = 6 * 60_000;

/** One socket from its opening to its loss. */
export function createTwitchSession(open: () => WebSocket, parts: TwitchSessionParts): Session {
  return async (ready, signal) => {
    const socket = open();
    let leave = () => {};
    let watch: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const listen = () => {
          clearTimeout(watch);
          watch = setTimeout(() => reject(new Error("Twitch is silent")), SILENCE_MS);
        };
        const onLine = createOnLine(parts, { send: (text) => socket.send(`${text}\r\n`), ready, lose: reject });
        listen();
        leave = () => resolve();
        signal.addEventListener("abort", leave, { once: true });
        socket.on("open", () => socket.send(`${parts.greeting.join("\r\n")}\r\n`));
        socket.on("close", (code) => reject(new Error(`Twitch closed the connection (${code})`)));
        socket.on("error", ({ message }) => reject(new Error(`Twitch can't be reached: ${message}`)));
        socket.on("message", (data) => {
          listen();
          for (const text of String(data).split(/\r?\n/)) onLine(text);
        });
      });
    } finally {
      clearTimeout(watch);
      signal.removeEventListener("abort", leave); // the signal outlives many connections
      parts.outbox.detach();
      socket.removeAllListeners();
      socket.on("error", () => {}); // it is given up: how it ends is no matter
      socket.terminate();
    }
  };
}

interface Wire {
  send(line: string): void;
  ready(): void;
  lose(error: Error): void;
}

function createOnLine(
  { rooms, outbox, take }: TwitchSessionParts,
  { send, ready, lose }: Wire,
): (text: string) => void {
  const on: Readonly<Record<string, (line: IrcLine) => void>> = {
    PING: ({ params }) => send(`PONG :${params.at(-1) ?? ""}`),
    PRIVMSG: take,
    RECONNECT: () => lose(new Error("Twitch asks to connect again")),
    NOTICE: ({ params }) => {
      const said = params.at(-1) ?? "";
      if (REFUSED.test(said)) lose(refused(said));
    },
    "001": () => {
      for (const room of rooms) send(`JOIN #${room}`);
      outbox.attach(send);
      ready();
    },
  };
  return (text) => {
    const line = parseIrc(text);
    if (line !== null && Object.hasOwn(on, line.command)) on[line.command]?.(line);
  };
}

const REFUSED = /login (?:authentication failed|unsuccessful)|improperly formatted auth|invalid nick/i;

const refused = (said: string): FatalClose =>
  new FatalClose(`Twitch refuses the login: ${said}. Look at SMITH_TWITCH_TOKEN and SMITH_TWITCH_NICK.`);

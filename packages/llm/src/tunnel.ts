import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, type AgentOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { HttpProxy } from "./proxy.ts";
import type { HttpClient } from "./transport.ts";

interface Wanted {
  readonly host?: string | null | undefined;
  readonly port?: string | number | null | undefined;
  readonly gone?: AbortSignal;
}

type Connected = (error: Error | null, socket?: TLSSocket) => void;

/** An agent whose connections go through a proxy's CONNECT, so that the proxy sees neither key nor conversation. */
export function createTunnels(proxy: HttpProxy, client: HttpClient, options: AgentOptions): Agent {
  const agent = new Agent(options);
  const createConnection = (wanted: Wanted, connected: Connected) => {
    const asking = client.request(proxy.url.origin, { method: "CONNECT", agent: false, ...addressed(proxy, wanted) });
    const giveUp = () => void asking.destroy();
    wanted.gone?.addEventListener("abort", giveUp, { once: true });
    let settled = false;
    const settle: Connected = (error, socket) => {
      if (settled) return;
      settled = true;
      wanted.gone?.removeEventListener("abort", giveUp);
      connected(error, socket);
    };
    watch(asking, wanted, settle);
    asking.end();
  };
  return Object.assign(agent, { createConnection });
}

function addressed(proxy: HttpProxy, { host, port }: Wanted) {
  const name = String(host);
  const path = `${isIP(name) === 6 ? `[${name}]` : name}:${port ?? 443}`;
  const pass = proxy.authorization === null ? {} : { "proxy-authorization": proxy.authorization };
  return { path, headers: { host: path, ...pass } };
}

function watch(asking: ClientRequest, { host }: Wanted, settle: Connected): void {
  asking.once("error", settle);
  asking.once("response", refuse); // some proxies answer CONNECT like any request
  asking.once("connect", (answer: IncomingMessage, socket: Socket) => {
    if (answer.statusCode !== 200) return refuse(answer);
    const name = String(host);
    settle(null, connect({ socket, host: name, ...(isIP(name) === 0 ? { servername: name } : {}) }));
  });
  function refuse(answer: IncomingMessage): void {
    asking.destroy();
    settle(Object.assign(new Error(`the proxy answered ${answer.statusCode}`), { code: `PROXY_${answer.statusCode}` }));
  }
}

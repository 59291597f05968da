import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { Endpoint } from "./endpoint.ts";
import type { HttpProxy } from "./proxy.ts";

/** A request under way. */
export interface Sending {
  readonly request: ClientRequest;
  /** Gives it and its connection up, also one that is still being made. */
  abandon(): void;
}

export interface What {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How connections to one place are made and kept. */
export interface Transport {
  request(endpoint: Endpoint, what: What): Sending;
  /** Ends the connections that are kept. */
  close(): void;
}

/** Milliseconds that an unused connection is kept. An idle one never keeps the process alive. */
const KEEP_MS = 30_000;

/** Loads the client for an endpoint, with or without a proxy. `keep`: connections are kept for the next request. */
export async function openTransport({ url, proxy }: Endpoint, keep: boolean): Promise<Transport> {
  if (proxy !== null) return await openProxied(proxy, { secure: url.protocol === "https:", keep });
  const { Agent, request } = await clientFor(url.protocol);
  const agent = keep ? new Agent({ keepAlive: true, timeout: KEEP_MS }) : false;
  return { request: ({ url }, what) => sending(request(url, { ...what, agent })), close: closing(agent) };
}

/** node:http, or node:https in its place. */
export type HttpClient = Pick<typeof import("node:http"), "Agent" | "request">;

const clientFor = async (protocol: string): Promise<HttpClient> =>
  protocol === "https:" ? await import("node:https") : await import("node:http");

const closing = (agent: Agent | false) => () => {
  if (agent !== false) agent.destroy();
};

const sending = (request: ClientRequest): Sending => ({ request, abandon: () => void request.destroy() });

async function openProxied(proxy: HttpProxy, { secure, keep }: { secure: boolean; keep: boolean }): Promise<Transport> {
  const client = await clientFor(proxy.url.protocol);
  if (!secure) return plainProxied(proxy, client, keep);
  const { createTunnels } = await import("./tunnel.ts");
  const https = await import("node:https");
  const agent = createTunnels(proxy, client, keep ? { keepAlive: true, timeout: KEEP_MS } : {});
  return {
    close: closing(agent),
    request({ url }, what) {
      // The agent can't tell that a request was given up before it had a connection: the signal does.
      const gone = new AbortController();
      const options: RequestOptions & { readonly gone: AbortSignal } = { ...what, agent, gone: gone.signal };
      const request = https.request(url, options);
      return {
        request,
        abandon() {
          request.destroy();
          gone.abort();
        },
      };
    },
  };
}

/** To an http address the proxy is asked itself, with the whole address as the path. */
function plainProxied(proxy: HttpProxy, client: HttpClient, keep: boolean): Transport {
  const agent: Agent | false = keep ? new client.Agent({ keepAlive: true, timeout: KEEP_MS }) : false;
  const pass = proxy.authorization === null ? {} : { "proxy-authorization": proxy.authorization };
  return {
    close: closing(agent),
    request({ url }, { method, headers }) {
      const path = url.origin + url.pathname + url.search;
      const all = { ...headers, host: url.host, ...pass };
      return sending(client.request(proxy.url.origin, { method, path, headers: all, agent }));
    },
  };
}

import type { Server } from "node:http";
import { type ServerType, serve } from "@hono/node-server";
import { AgentError, toAgentError } from "@smith/contract/error";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import type { Adapter, Inbound, Receive, Say } from "./platform.ts";
import type { WebhookSettings } from "./settings.ts";
import { bodyOf } from "./webhook-body.ts";
import { hasToken, isForeign } from "./webhook-guard.ts";

const BODY_BYTES = 1024 * 1024;
/** Seconds after which one who was told to wait may ask again. */
const RETRY_AFTER_S = 5;
/** Ms between signs of life while an answer is worked at. */
const PING_MS = 15_000;
/** Against clients that send slowly or hold connections: what Node's server is given. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };
const CONNECTIONS = 1024;

export interface WebhookParts {
  readonly settings: WebhookSettings;
  readonly say: Say;
}

/** `POST /message` and `GET /health` over HTTP. */
export function createWebhook({ settings, say }: WebhookParts): Adapter & { port(): number } {
  let server: ServerType | null = null;
  let port = settings.port;
  let isStopping = false;
  return Object.freeze({
    name: "webhook",
    port: () => port,
    async start(receive: Receive) {
      const app = createApp(receive, { settings, isStopping: () => isStopping });
      server = await listen(app, settings);
      const address = server.address();
      if (typeof address === "object" && address !== null) port = address.port;
      const host = settings.bind.includes(":") ? `[${settings.bind.replaceAll(/[[\]]/g, "")}]` : settings.bind;
      say(`webhook: listening on http://${host}:${port}${settings.token === null ? "" : ", with a token"}`);
    },
    async stop(late: AbortSignal) {
      isStopping = true;
      const running = server as Server | null;
      server = null;
      if (running === null) return;
      const closed = new Promise<void>((resolve) => running.close(() => resolve()));
      running.closeIdleConnections();
      // A closed server looks after no time limits any more: half a request would be waited for without end.
      const give = () => running.closeAllConnections();
      late.addEventListener("abort", give, { once: true });
      await closed;
      late.removeEventListener("abort", give);
    },
  });
}

function listen(app: Hono, { bind, port }: WebhookSettings): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const hostname = bind.replaceAll(/[[\]]/g, "");
    const serverOptions = { ...LIMITS, maxHeaderSize: 16 * 1024, insecureHTTPParser: false };
    const server = serve({ fetch: app.fetch, hostname, port, serverOptions, overrideGlobalObjects: false }, () =>
      resolve(server),
    );
    (server as Server).maxConnections = CONNECTIONS;
    server.once("error", (error: NodeJS.ErrnoException) => reject(cantListen(error, bind, port)));
  });
}

const MENDS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there, maybe a second gateway. Set SMITH_GATEWAY_PORT to a free port",
  EACCES: "that is not allowed. Set SMITH_GATEWAY_PORT to one above 1023",
  EADDRNOTAVAIL: "this machine does not have that address. Set SMITH_GATEWAY_BIND to one of its own",
  ENOTFOUND: "there is no such address. Set SMITH_GATEWAY_BIND to one of this machine's",
};

const cantListen = ({ code = "", message }: NodeJS.ErrnoException, bind: string, port: number): AgentError =>
  new AgentError({
    kind: "transport",
    code: "listen",
    origin: "gateway/webhook",
    message: `can't listen on ${bind} port ${port}: ${MENDS[code] ?? message}.`,
  });

interface AppParts {
  readonly settings: WebhookSettings;
  isStopping(): boolean;
}

function createApp(receive: Receive, { settings, isStopping }: AppParts): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    if (isForeign(c.req.raw.headers, settings.bind)) return c.json({ error: "forbidden host or origin" }, 403);
    await next();
    if (isStopping()) c.header("connection", "close");
    return;
  });
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.all("/health", (c) => c.json({ error: "method not allowed" }, 405, { allow: "GET, HEAD" }));
  app.use("/message", async (c, next) => {
    if (c.req.method !== "POST") return c.json({ error: "method not allowed" }, 405, { allow: "POST" });
    if (hasToken(c.req.header("x-smith-token"), settings.token)) return next();
    return c.json({ error: "unauthorized" }, 401);
  });
  const tooLarge = (c: Context) => c.json({ error: "body too large: at most 1 MB" }, 413, { connection: "close" });
  app.post("/message", bodyLimit({ maxSize: BODY_BYTES, onError: tooLarge }), async (c) => {
    const read = bodyOf(new Uint8Array(await c.req.arrayBuffer()));
    if ("error" in read) return c.json({ error: read.error }, 400);
    const wantsEvents = c.req.header("accept")?.includes("text/event-stream") === true;
    return wantsEvents ? answerAsEvents(c, read.message, receive) : answer(c, read.message, receive);
  });
  app.notFound((c) => c.json({ error: "not found" }, 404));
  app.onError((_error, c) => c.json({ error: "internal error" }, 500));
  return app;
}

async function answer(c: Context, message: Inbound, receive: Receive): Promise<Response> {
  try {
    const { reply, usage } = await receive(message);
    return c.json({ reply, usage });
  } catch (thrown) {
    const { status, error } = refusalOf(thrown);
    return c.json({ error }, status, status === 500 ? {} : { "retry-after": String(RETRY_AFTER_S) });
  }
}

/** Whoever can't be taken in is told when to come again; the rest is our own fault. */
function refusalOf(thrown: unknown): { status: 429 | 503 | 500; error: string } {
  const { code, message } = toAgentError(thrown, "gateway/webhook");
  if (code === "busy") return { status: 429, error: message };
  if (code === "closing") return { status: 503, error: message };
  return { status: 500, error: "internal error" };
}

/** `progress` and `text` while the answer is made, then one `reply` or `error`. */
function answerAsEvents(c: Context, message: Inbound, receive: Receive): Response {
  return streamSSE(c, async (stream) => {
    const send = (event: string, data: object) => stream.writeSSE({ event, data: JSON.stringify(data) });
    const ping = setInterval(() => void stream.write(": at work\n\n"), PING_MS);
    try {
      const watcher = {
        progress: (line: string) => void send("progress", { progress: line }),
        text: (text: string) => void send("text", { text }),
      };
      const { reply, usage } = await receive(message, watcher);
      await send("reply", { reply, usage });
    } catch (thrown) {
      await send("error", { error: refusalOf(thrown).error });
    } finally {
      clearInterval(ping);
    }
  });
}

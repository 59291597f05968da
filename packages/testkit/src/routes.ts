import { once } from "node:events";
import { createServer } from "node:http";

/** Answers by path: an object as JSON, a text as it is, a number as that status. A function is given the request's body. */
export type Routes = Readonly<Record<string, unknown>>;

export interface RoutesServer {
  readonly origin: string;
  readonly port: number;
  /** `METHOD path` of every request, in order. */
  readonly asked: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server on 127.0.0.1 with these answers and no others: what is not among them is 404. */
export async function startRoutes(routes: Routes): Promise<RoutesServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const path = request.url ?? "";
    asked.push(`${request.method} ${path}`);
    const route = routes[path];
    const answer: unknown = typeof route === "function" ? route(JSON.parse(text)) : (route ?? 404);
    const status = typeof answer === "number" ? answer : 200;
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(
      typeof answer === "string" ? answer : JSON.stringify(typeof answer === "number" ? { error: "no" } : answer),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    port: address.port,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

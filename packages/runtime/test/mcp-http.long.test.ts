import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { offered, play } from "./mcp-scene.ts";

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string; readonly requestId?: number };
}

interface Asked extends Message {
  readonly headers: IncomingMessage["headers"];
}

type Answer = (asked: Asked, response: ServerResponse) => unknown;

const TOOLS = ["greet", "hang", "cut", "resume"].map((name) => ({ name, inputSchema: { type: "object" } }));
const json = (response: ServerResponse, id: number | undefined, result: unknown) => {
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
};
const greeting = { content: [{ type: "text", text: "Hello!" }] };

/** A server over streamable HTTP; `call` answers calls of its tools, `get` the stream that a client opens by itself. */
async function http(call: Answer, get: Answer = (_asked, response) => response.writeHead(405).end()) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const message: Asked = {
      ...(text === "" ? { method: request.method ?? "" } : (JSON.parse(text) as Message)),
      headers: request.headers,
    };
    asked.push(message);
    const { id, method, params } = message;
    if (request.method !== "POST") return void get(message, response);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") return void call(message, response);
    const { protocolVersion } = params ?? {};
    const handshake = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } };
    const answers: Record<string, unknown> = { initialize: handshake, "tools/list": { tools: TOOLS }, ping: {} };
    json(response, id, answers[method]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, asked, close: server.close.bind(server), methods: () => asked.map(({ method }) => method) };
}

const failure = (output: string | undefined) =>
  (JSON.parse(output ?? "") as { error: { code: string; message: string } }).error;
const event = (id: number | undefined, result: unknown) =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
const stream = (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "s1" });

test("tools behind an address are offered and called, with headers out of the environment, and the session is ended", async () => {
  const far = await http(({ id }, response) => stream(response).end(event(id, greeting)));
  const headers = { Authorization: `Bearer \${TOKEN}`, "x-team": `\${TEAM:-core}` };
  const { outputs, requests, runtime } = await play({ s: { url: far.url, headers } }, [["mcp__s__greet"]], {
    env: { SMITH_NO_PROBE: "1", TOKEN: "t0ken\n" },
  });
  expect([outputs, offered(requests[0])]).toEqual([["Hello!"], TOOLS.map(({ name }) => `mcp__s__${name}`)]);
  await runtime.close();
  const seen = far.asked.map(({ headers: { authorization, "x-team": team } }) => [authorization, team]);
  expect(seen).toEqual(seen.map(() => ["Bearer t0ken", "core"]));
  expect(far.methods()).toEqual([
    "initialize",
    "notifications/initialized",
    "GET",
    "tools/list",
    "tools/call",
    "DELETE",
  ]);
});

test("a stream that ends before its answer fails the call at once; one that named its events is taken up again", async () => {
  let waits: number | undefined;
  const far = await http(
    ({ id, params }, response) => {
      const open = stream(response);
      if (params?.name === "cut") return open.end(": nothing\n\n");
      waits = id;
      return open.end("id: e1\nretry: 10\ndata: \n\n");
    },
    ({ headers }, response) => {
      if (headers["last-event-id"] === undefined) return response.writeHead(405).end();
      return stream(response).end(event(waits, greeting));
    },
  );
  const { outputs } = await play({ s: { url: far.url } }, [["mcp__s__cut"], ["mcp__s__resume"]]);
  expect([failure(outputs[0]).message, outputs[1]]).toEqual([
    "The MCP server s answered with an error (-32000): its answer ended before it was whole",
    "Hello!",
  ]);
});

test("a call that takes too long is given up, told, and its connection closed", async () => {
  let closed = false;
  const far = await http((_asked, response) => {
    stream(response).write(": wait\n\n");
    response.on("close", () => (closed = true));
  });
  const { outputs } = await play({ s: { url: far.url, timeout_s: 0.3 } }, [["mcp__s__hang"]]);
  expect(failure(outputs[0]).code).toBe("timeout");
  while (!closed) await new Promise((resolve) => setTimeout(resolve, 10));
  const call = far.asked.find(({ method }) => method === "tools/call");
  const told = far.asked.find(({ method }) => method === "notifications/cancelled");
  expect(told?.params?.requestId).toBe(call?.id);
});

test("a session that the server has forgotten is begun anew, and the call made in the new one", async () => {
  let first = true;
  const far = await http(({ id }, response) => {
    if (!first) return json(response, id, greeting);
    first = false;
    return response.writeHead(404).end("no such session");
  });
  const { outputs } = await play({ s: { url: far.url } }, [["mcp__s__greet"]]);
  expect(outputs).toEqual(["Hello!"]);
  expect(far.methods().filter((method) => method === "initialize").length).toBe(2);
});

test("a call that is made anew in a new session and not answered is a timeout, too", async () => {
  let first = true;
  const far = await http((_asked, response) => {
    if (first) response.writeHead(404).end("no such session");
    first = false;
  });
  const { outputs } = await play({ s: { url: far.url, timeout_s: 0.5 } }, [["mcp__s__hang"]]);
  expect(failure(outputs[0])).toMatchObject({
    code: "timeout",
    message: expect.stringMatching(/^The MCP server s did not answer within 0\.5 s and was told to stop\./),
  });
});

test("an address out of a variable is reached, and what of it a server quotes is masked", async () => {
  const far = await http((_asked, response) => response.writeHead(500).end("Cannot POST /mcp/k3y-k3y?org=t3am-t3am"));
  const ADDRESS = `${far.url}/k3y-k3y?org=t3am-t3am`;
  const { outputs, runtime } = await play({ s: { url: `\${ADDRESS}` } }, [["mcp__s__greet"]], {
    env: { SMITH_NO_PROBE: "1", ADDRESS },
  });
  expect(failure(outputs[0]).message).toBe("The MCP server s answered with an error (500): Cannot POST ***");
  const { host } = await runtime.start();
  expect((await host.mcp.list()).map(({ from, status }) => [from, status])).toEqual([[`\${ADDRESS}`, "ready"]]);
});

test("answers that are too large, of a wrong type, or a redirect to elsewhere are failures that say so", async () => {
  const elsewhere = await http(({ id }, response) => json(response, id, greeting));
  const answers: Answer[] = [
    ({ id }, response) => json(response, id, { content: [{ type: "text", text: "x".repeat(9 << 20) }] }),
    (_asked, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Log in</p>"),
    (_asked, response) => response.writeHead(307, { location: elsewhere.url }).end(),
    (_asked, response) => response.writeHead(500).end(`the key t0ken-t0ken is wrong ${"x".repeat(9000)}`),
    (_asked, response) => response.destroy(),
    ({ id }, response) => json(response, id, greeting),
  ];
  const far = await http((asked, response) => answers.shift()?.(asked, response));
  const { outputs } = await play(
    { s: { url: far.url, headers: { "x-key": "t0ken-t0ken" } } },
    answers.map(() => ["mcp__s__greet"] as const),
  );
  expect(outputs.slice(0, -1).map((each) => failure(each).message.slice(0, 110))).toEqual([
    "The MCP server s answered with an error: the answer has more than 8 MB",
    "The MCP server s answered with an error (-1): Unexpected content type: text/html",
    expect.stringMatching(
      /^The MCP server s answered with an error \(307\): Redirect to http:\/\/127\.0\.0\.1:\d+\/mcp not foll/,
    ),
    "The MCP server s answered with an error (500): the key *** is wrong xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    expect.stringMatching(
      /^The MCP server s answered with an error.*: (other side closed|read ECONNRESET|socket hang up)/,
    ),
  ]);
  expect([outputs.at(-1), elsewhere.asked]).toEqual(["Hello!", []]);
});

test("a server that can't be reached, wants a key, or speaks something else is named with its address and the mend", async () => {
  const status = async (code: number) => {
    const server = createServer((_request, response) => response.writeHead(code).end("no"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  const gone = await http(() => {});
  await new Promise((resolve) => gone.close(resolve));
  const { notices } = await play(
    {
      a: { url: await status(401) },
      b: { url: await status(404) },
      c: { url: await status(503) },
      d: { url: gone.url },
    },
    [],
  );
  expect(notices.map((text) => text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1").split(" Its tools")[0])).toEqual([
    `The MCP server a at http://127.0.0.1/mcp answered 401: it wants a key. Put it into a variable, and {"Authorization": "Bearer \${THE_VARIABLE}"} into mcp_servers.a.headers; Smith does no OAuth.`,
    "The MCP server b at http://127.0.0.1/mcp answered 404: nothing there speaks MCP over streamable HTTP. Check mcp_servers.b.url; the older SSE form is not supported.",
    "The MCP server c at http://127.0.0.1/mcp answered 503: no.",
    "The MCP server d at http://127.0.0.1/mcp can't be reached: connect ECONNREFUSED 127.0.0.1.",
  ]);
});

test("what stands in the configuration as a header is in no list, no message and no event", async () => {
  const far = await http(({ id }, response) => json(response, id, greeting));
  const { runtime } = await play({ s: { url: far.url, headers: { "x-key": "C4NARY-C4NARY" } } }, [["mcp__s__greet"]]);
  const { host } = await runtime.start();
  const shown = [await host.mcp.list(), host.config.get("mcp_servers"), runtime.events(), await runtime.diagnose()];
  expect(shown.map((each) => JSON.stringify(each).includes("C4NARY"))).toEqual([false, false, false, false]);
});

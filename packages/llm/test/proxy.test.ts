import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCancel } from "@smith/contract/cancel";
import { startScriptedLlm } from "@smith/testkit";
import { expect, test, vi } from "vitest";
import { createOpenAiChat } from "../src/index.ts";
import { proxyFor } from "../src/proxy.ts";
import { ask, hello, optionsFor, rawServer, seen } from "./scene.ts";

test.each<[string, string, Record<string, string>, string | null]>([
  [
    "by its protocol",
    "https://a.test/v1",
    { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://q:2" },
    "http://p:1 HTTPS_PROXY",
  ],
  [
    "by its protocol",
    "http://a.test/v1",
    { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://q:2" },
    "http://q:2 HTTP_PROXY",
  ],
  ["in lower case first", "http://a.test", { http_proxy: "p:1", HTTP_PROXY: "http://q:2" }, "http://p:1 http_proxy"],
  ["by ALL_PROXY", "https://a.test", { ALL_PROXY: "http://p:1" }, "http://p:1 ALL_PROXY"],
  ["by none when it is blank", "https://a.test", { HTTPS_PROXY: " " }, null],
  ["by none for this machine", "http://127.0.0.1:8080", { HTTP_PROXY: "http://p:1" }, null],
  ["by none for this machine", "http://localhost:8080", { HTTP_PROXY: "http://p:1" }, null],
  [
    "by one on this machine",
    "http://127.0.0.1:8080",
    { HTTP_PROXY: "http://127.0.0.1:3128" },
    "http://127.0.0.1:3128 HTTP_PROXY",
  ],
  ["by none for *", "https://a.test", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, null],
  ["by none for a listed host", "https://a.test", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x.test, A.test" }, null],
  ["by none for its sub-domains", "https://b.a.test", { HTTPS_PROXY: "http://p:1", no_proxy: ".a.test" }, null],
  [
    "for a host that only ends alike",
    "https://ba.test",
    { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.test" },
    "http://p:1 HTTPS_PROXY",
  ],
  [
    "for another port",
    "https://a.test",
    { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.test:8443" },
    "http://p:1 HTTPS_PROXY",
  ],
  ["by none for its port", "https://a.test", { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.test:443" }, null],
])("a request goes through the proxy %s: %s with %o", (_, target, env, expected) => {
  const proxy = proxyFor(new URL(target), env);
  expect(proxy === null ? null : `${proxy.url.origin} ${proxy.variable}`).toBe(expected);
});

test.each(["socks5://p:1", "http://", "::"])(
  "fault 50 the proxy %j is an error that names its variable",
  async (value) => {
    const { error } = await ask("http://model.test/v1", { options: { env: { HTTP_PROXY: value } } });
    expect(seen(error)).toEqual({ kind: "protocol", code: "bad_request", retryable: false });
    expect(error?.message).toBe(
      "The proxy in HTTP_PROXY is no http(s) address. Set HTTP_PROXY to one like http://host:8080, or name the model's host in NO_PROXY.",
    );
  },
);

test("fault 50 a proxy that is dead is named, without its password", async () => {
  const env = { HTTP_PROXY: "http://user:secret@127.0.0.1:9" };
  const { error } = await ask("http://model.test/v1", { options: { env } });
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: true });
  expect(error?.message).toBe(
    "default at http://model.test/v1 could not be reached through the proxy http://127.0.0.1:9 (HTTP_PROXY) (ECONNREFUSED): nothing listens there. Start the server or check llm_config.api_url.",
  );
});

test("fault 51 an http endpoint is asked through the proxy with its whole address, and connections are kept", async () => {
  await using llm = await startScriptedLlm([{ say: "one" }, { say: "two" }]);
  const seenByProxy: unknown[] = [];
  const sockets = new Set<unknown>();
  await using proxy = await httpProxy((request) => {
    sockets.add(request.socket);
    seenByProxy.push([request.method, request.url, request.headers.host, request.headers["proxy-authorization"]]);
    return llm.port;
  });
  const env = { HTTP_PROXY: `http://us%40er:p%25w@127.0.0.1:${proxy.port}` };
  const model = createOpenAiChat(optionsFor("http://model.test/v1?k=1", { env }));
  using cancel = createCancel();
  for (const said of ["one", "two"]) {
    expect((await model.chat(hello, { signal: cancel.signal, onDelta: () => {} })).content).toBe(said);
  }
  const line = ["POST", "http://model.test/v1/chat/completions?k=1", "model.test", `Basic ${btoa("us@er:p%w")}`];
  expect([seenByProxy, sockets.size]).toEqual([[line, line], 1]);
});

/** A proxy for plain requests, which it passes on to a port of this machine. */
async function httpProxy(portOf: (request: IncomingMessage) => number) {
  const { request: send } = await import("node:http");
  const server = createHttpServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "");
    const { connection: _, ...headers } = request.headers;
    const onward = send(
      { port: portOf(request), method: request.method, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("an https endpoint is reached by CONNECT, and the proxy sees no key", async () => {
  let heard = "";
  await using proxy = await rawServer((socket) => {
    socket.once("data", (bytes) => {
      heard = bytes.toString();
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.once("data", (hello) => {
        heard += hello[0] === 0x16 ? "then TLS" : "then something else";
        socket.end("no TLS here");
      });
    });
  });
  const env = { HTTPS_PROXY: proxy.url.replace("/v1", "").replace("//", "//user:pw@") };
  const { error } = await ask("https://model.test/v1", { options: { env } });
  expect(heard).toBe(
    `CONNECT model.test:443 HTTP/1.1\r\nhost: model.test:443\r\nproxy-authorization: Basic ${btoa("user:pw")}\r\nConnection: close\r\n\r\nthen TLS`,
  );
  expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: false });
});

test.each([
  [
    "407 Proxy Authentication Required",
    { kind: "transport", code: "auth", retryable: false },
    "It wants credentials: put them into its address.",
  ],
  [
    "403 Forbidden",
    { kind: "transport", code: "network", retryable: false },
    "It refused: check that it lets you there.",
  ],
  [
    "502 Bad Gateway",
    { kind: "transport", code: "network", retryable: true },
    "It refused: check that it lets you there.",
  ],
])("a proxy that answers CONNECT with %s is %o", async (status, verdict, words) => {
  await using proxy = await rawServer((socket) => {
    socket.once("data", () => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`));
  });
  const { error } = await ask("https://model.test/v1", { options: { env: { HTTPS_PROXY: proxy.url } } });
  expect(seen(error)).toEqual(verdict);
  expect(error?.message).toBe(
    `default at https://model.test/v1 could not be reached: the proxy ${new URL(proxy.url).origin} (HTTPS_PROXY) answered ${status.slice(0, 3)}. ${words}`,
  );
});

test("a cancel while the proxy makes no connection closes the line to the proxy", async () => {
  using cancel = createCancel();
  let hungUp = () => {};
  const closed = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  await using proxy = await rawServer((socket) => {
    socket.once("data", () => cancel.request("ctrl-c"));
    socket.once("close", hungUp);
  });
  const { error } = await ask("https://model.test/v1", {
    options: { env: { HTTPS_PROXY: proxy.url } },
    signal: cancel.signal,
  });
  expect(error).toMatchObject({ kind: "cancelled", message: "ctrl-c" });
  await closed;
});

/** A certificate of this run, or null where there is no openssl. */
function certificate(): { readonly key: string; readonly cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), "smith-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync(
      "openssl",
      ["req", "-x509", ...ec, "-subj", "/CN=model.test", "-days", "1", "-keyout", key, "-out", cert],
      { stdio: "ignore" },
    );
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } catch {
    return null; // the test below says that it was skipped
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tls = certificate();

test.skipIf(tls === null)(
  "fault 47 a certificate that nobody vouches for is not tried again, and the mend is said (needs openssl)",
  async () => {
    const server = createTlsServer({ ...tls }, () => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { error } = await ask(`https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    server.close();
    expect(seen(error)).toEqual({ kind: "transport", code: "network", retryable: false });
    expect(error?.message).toContain("could not be reached safely (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(error?.message).toContain("NODE_EXTRA_CA_CERTS");
  },
);

test.skipIf(tls === null)(
  "a whole answer comes through the tunnel, the second over the same one (needs openssl)",
  async () => {
    const body = JSON.stringify({ choices: [{ message: { content: "yes" }, finish_reason: "stop" }] });
    const server = createTlsServer({ ...tls }, (request, response) => {
      request.resume();
      response.end(`${body}`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    let tunnels = 0;
    await using proxy = await rawServer((socket) => {
      socket.once("data", () => {
        tunnels++;
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const onward = connect((server.address() as AddressInfo).port, "127.0.0.1");
        onward.on("error", () => socket.destroy());
        socket.on("close", () => onward.destroy());
        socket.pipe(onward).pipe(socket);
      });
    });
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"; // nobody vouches for the certificate of a test
    const quiet = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      const model = createOpenAiChat(
        optionsFor("https://model.test/v1", { env: { HTTPS_PROXY: proxy.url }, stream: false }),
      );
      for (let n = 1; n <= 2; n++) {
        const reply = await model.chat(hello, { signal: new AbortController().signal, onDelta: () => {} });
        expect(reply.content).toBe("yes");
      }
      expect(tunnels).toBe(1);
    } finally {
      quiet.mockRestore();
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
      server.closeAllConnections();
      server.close();
    }
  },
);

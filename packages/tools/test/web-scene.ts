import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on a loopback address; closed, with its connections, when the test is over. */
export async function webServer(answer: Answering, host = "127.0.0.1") {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { asked, port, url: (path: string) => `http://${host}:${port}${path}` };
}

/** The text between the two data marks of an output, with the header and the notes around it. */
export function parts(content: string) {
  const found =
    /^([\s\S]*?)\n\[data (\w{8}) from this address: not instructions\]\n([\s\S]*)\n\[end of data \2\]([\s\S]*)$/.exec(
      content,
    );
  return { header: found?.[1], text: found?.[3], notes: found?.[4] };
}

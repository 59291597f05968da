import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { model, place } from "./scene.ts";

const MB = 2 ** 20;

/** Pages that would not fit: 100 MB behind 100 KB of gzip, 200 MB as they are, and one without an end. */
async function hugePages(): Promise<string> {
  const bomb = gzipSync(Buffer.alloc(100 * MB, "a"));
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain");
    if (request.url === "/small") response.end("small");
    else if (request.url === "/bomb") response.setHeader("content-encoding", "gzip").end(bomb);
    else {
      let left = request.url === "/large" ? 200 * MB : Number.POSITIVE_INFINITY;
      const piece = Buffer.alloc(65_536, "a");
      if (Number.isFinite(left)) response.setHeader("content-length", left);
      const more = () => {
        while (left > 0 && !response.destroyed) {
          left -= piece.length;
          if (!response.write(piece)) return;
        }
        if (!response.destroyed) response.end();
      };
      response.on("drain", more);
      more();
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("B76 TL38 fault 180 a bomb, a huge and an endless page cost no more memory than the part that is read", async () => {
  const pages = await hugePages();
  const peakMb = async (paths: readonly string[]) => {
    const calls = paths.map((path, n) => ({
      id: `c${n}`,
      name: "web_fetch",
      args: { url: pages + path, max_chars: 100 },
    }));
    const llm = await model([{ call: calls }, { say: "done" }]);
    const here = place({ config: { ...llm.config, services: { tool: { web: { allow_private: true } } } } });
    const file = join(here.home, "peak");
    const hook = `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)))`;
    const code = `import { createRequire } from "node:module"; const require = createRequire("/"); ${hook}`;
    const node = ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
    const end = await here.run(["-p", "hi", "--output", "json"], { node });
    expect([end.code, end.json().text, end.json().tool_calls]).toEqual([0, "done", paths.length]);
    const shown = llm.requests[1]?.raw ?? "";
    expect(shown.split("the body is longer than 5242880 bytes").length - 1).toBe(
      paths[0] === "/small" ? 0 : paths.length,
    );
    return Number(readFileSync(file, "utf8")) / 1024;
  };
  const base = await peakMb(["/small"]);
  const rises = [];
  for (const path of ["/bomb", "/large", "/endless"]) rises.push((await peakMb([path])) - base);
  const together = (await peakMb(["/bomb", "/large", "/endless"])) - base;
  console.info(
    `peak: ${base.toFixed(0)} MB, and ${[...rises, together].map((mb) => mb.toFixed(0)).join(", ")} MB more`,
  );
  expect([...rises, together].filter((mb) => mb > 150)).toEqual([]);
});

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { badAnswer, type FarEnd } from "./errors.ts";

/**
 * The body without its content encoding. We ask for none, but gateways compress unasked.
 * @throws {AgentError} `bad_request` for an encoding that nobody asked for and we can't read.
 */
export function decoded(response: IncomingMessage, far: FarEnd): Readable {
  const encodings = (response.headers["content-encoding"] ?? "").toLowerCase().split(",");
  let content: Readable = response;
  for (const encoding of encodings.map((each) => each.trim()).reverse()) {
    if (encoding === "" || encoding === "identity") continue;
    const decoder = decoderFor(encoding);
    if (decoder === null) {
      const said = `answered in the unknown encoding ${encoding.slice(0, 40)}`;
      throw badAnswer(far, "encoding", { said, status: response.statusCode ?? 200 });
    }
    content = content.pipe(decoder);
  }
  return content;
}

function decoderFor(encoding: string): Transform | null {
  // Loaded on demand, and at once: an await here would let the first bytes pass unseen.
  const zlib = process.getBuiltinModule("node:zlib");
  if (encoding === "br") return zlib.createBrotliDecompress();
  return encoding === "gzip" || encoding === "x-gzip" || encoding === "deflate" ? zlib.createUnzip() : null;
}

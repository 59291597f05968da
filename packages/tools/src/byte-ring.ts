/** Head and tail of a long text as UTF-8 in memory of a fixed size; for megabytes, where strings would cost several times that. */
export interface ByteRing {
  add(piece: string): void;
  /** The whole text, or its head and tail around a line that says how many bytes are missing. */
  text(): string;
}

/** Keeps the first half and the last half of `maxBytes`. */
export function createByteRing(maxBytes: number): ByteRing {
  const half = maxBytes / 2;
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer | null = null;
  let tailBytes = 0; // written to the tail so far, over and over
  const addTail = (bytes: Buffer): void => {
    tail ??= Buffer.allocUnsafe(half);
    const kept = bytes.subarray(Math.max(0, bytes.length - half));
    const at = (tailBytes + bytes.length - kept.length) % half;
    const first = kept.copy(tail, at);
    kept.copy(tail, 0, first);
    tailBytes += bytes.length;
  };
  return Object.freeze({
    add(piece: string): void {
      const bytes = Buffer.from(piece, "utf8");
      const room = half - headBytes;
      if (room > 0) {
        const part = bytes.subarray(0, room);
        head.push(part);
        headBytes += part.length;
      }
      if (bytes.length > room) addTail(bytes.subarray(Math.max(0, room)));
    },
    text(): string {
      const start = Buffer.concat(head);
      if (tail === null) return start.toString("utf8");
      if (tailBytes <= half) return Buffer.concat([start, tail.subarray(0, tailBytes)]).toString("utf8");
      const at = tailBytes % half;
      const end = Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
      const [first, last] = [wholeEnd(start), wholeStart(end)];
      const missing = tailBytes - half + (start.length - first.length) + (end.length - last.length);
      return `${first.toString("utf8")}\n[… ${missing} bytes omitted …]\n${last.toString("utf8")}`;
    },
  });
}

/** Without the part of a character that the cut left at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  let at = bytes.length - 1;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return at + length > bytes.length ? bytes.subarray(0, at) : bytes;
}

function wholeStart(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return bytes.subarray(at);
}

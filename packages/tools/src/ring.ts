/** The head and the tail of a text of any length, in bounded memory. */
export interface Ring {
  add(piece: string): void;
  /** The whole text, or its head and tail around a line that says how many characters are missing. */
  text(): string;
}

/** Keeps the first half and the last half of `maxChars` characters (UTF-16 units). */
export function createRing(maxChars: number): Ring {
  const headMax = Math.ceil(maxChars / 2);
  const tailMax = maxChars - headMax;
  let head = "";
  let tail = "";
  let dropped = 0;
  const trim = (): void => {
    const over = tail.length - tailMax;
    if (over <= 0) return;
    dropped += over;
    // A copy, not a slice: a slice would keep the whole of the text it was cut from.
    tail = Buffer.from(tail.slice(over), "utf16le").toString("utf16le");
  };
  return Object.freeze({
    add(piece: string): void {
      const room = headMax - head.length;
      if (room > 0) head += piece.slice(0, room);
      if (piece.length > room) tail += piece.slice(Math.max(0, room));
      if (tail.length > tailMax * 4) trim(); // now and then: each cut copies
    },
    text(): string {
      trim();
      return dropped === 0 ? head + tail : joinCut(head, tail, dropped);
    },
  });
}

function joinCut(head: string, tail: string, dropped: number): string {
  // A pair of surrogates cut in two is left out whole.
  const first = /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
  const last = /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
  const omitted = dropped + (head.length - first.length) + (tail.length - last.length);
  const before = first.endsWith("\n") ? "" : "\n";
  const after = last.startsWith("\n") ? "" : "\n";
  return `${first}${before}[… ${omitted} characters omitted …]${after}${last}`;
}

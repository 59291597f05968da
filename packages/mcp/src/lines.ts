/** Lines out of a stream of bytes, in bounded memory. */
export interface LineReader {
  add(bytes: Uint8Array): void;
}

export interface LineSink {
  /** Bytes of the longest line. */
  readonly max_bytes: number;
  /** A whole line, without its end; never an empty one. */
  onLine(line: string): void;
  /** A line is longer than that. Nothing comes after it. */
  onTooLong(): void;
}

export function createLineReader({ max_bytes, onLine, onTooLong }: LineSink): LineReader {
  let open: Uint8Array[] = [];
  let size = 0;
  let over = false;
  const keep = (piece: Uint8Array): void => {
    size += piece.length;
    if (size <= max_bytes) return void open.push(piece);
    over = true;
    open = [];
    onTooLong();
  };
  const close = (): void => {
    // Decoded whole: a character may have come in two pieces.
    const line = Buffer.concat(open).toString("utf8").replace(/\r$/, "");
    [open, size] = [[], 0];
    if (line.trim() !== "") onLine(line);
  };
  return Object.freeze({
    add(bytes: Uint8Array) {
      let from = 0;
      for (let end = bytes.indexOf(10); end !== -1 && !over; end = bytes.indexOf(10, from)) {
        keep(bytes.subarray(from, end));
        if (!over) close();
        from = end + 1;
      }
      if (!over && from < bytes.length) keep(bytes.subarray(from));
    },
  });
}

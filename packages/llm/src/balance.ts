/** Follows a JSON text piece by piece and knows whether it is one whole object yet, at a cost linear in the text. */
export interface Balance {
  /** Reads the pieces that were added since it was last asked. */
  isWhole(pieces: readonly string[]): boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Only braces and strings are looked at: that tells a finished call from one under way; parsing is the executor's. */
export function createBalance(): Balance {
  let seen = 0;
  let depth = 0;
  let opened = false;
  let inString = false;
  let escaped = false;
  const readString = (code: number) => {
    if (escaped) escaped = false;
    else if (code === BACKSLASH) escaped = true;
    else if (code === QUOTE) inString = false;
  };
  const readPlain = (code: number) => {
    if (code === QUOTE) inString = true;
    else if (code === CLOSE) depth--;
    else if (code === OPEN) {
      depth++;
      opened = true;
    }
  };
  const read = (piece: string) => {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (inString) readString(code);
      else readPlain(code);
    }
  };
  return Object.freeze({
    isWhole(pieces: readonly string[]) {
      for (; seen < pieces.length; seen++) read(pieces[seen] ?? "");
      return opened && depth <= 0 && !inString;
    },
  });
}

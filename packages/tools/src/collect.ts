import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createByteRing } from "./byte-ring.ts";
import { createCleaner } from "./clean.ts";
import { createRing } from "./ring.ts";

/** Characters of output kept, head and tail. */
export const OUTPUT_MAX_CHARS = 20_000;
/** Bytes of output kept beside it for whoever asks for the rest, head and tail. */
const WHOLE_MAX_BYTES = 4 << 20;

export interface Collected {
  /** Both streams as they came, cleaned and cut. */
  readonly output: string;
  /** All of it, up to 4 MiB; null where `output` is all. */
  readonly whole: string | null;
  /** Bytes the command wrote, before cleaning and cutting. */
  readonly output_bytes: number;
}

export interface Collector {
  /** True at the end of the output; false when it broke off. */
  readonly ended: Promise<boolean>;
  /** What came since the last time. */
  take(): Collected;
  /** No more is kept. What background children still write is read and dropped, lest they die of a closed pipe. */
  close(): void;
}

/** Reads the output as it comes, decoded, cleaned and kept in bounded memory. */
export function collect(output: Readable): Collector {
  const decoder = new StringDecoder("utf8");
  const cleaner = createCleaner();
  let kept = createKeep();
  const onData = (chunk: Buffer): void => kept.add(cleaner.write(decoder.write(chunk)), chunk.length);
  output.on("data", onData);
  output.on("error", () => {}); // a broken pipe ends it; "close" follows
  return Object.freeze({
    ended: new Promise<boolean>((resolve) => {
      output.once("end", () => resolve(true));
      output.once("close", () => resolve(false));
    }),
    take() {
      const { taken } = kept;
      kept = createKeep();
      return taken();
    },
    close() {
      output.off("data", onData);
      output.resume();
      if (output instanceof Socket) output.unref();
      kept.add(cleaner.write(decoder.end()) + cleaner.end(), 0);
    },
  });
}

function createKeep() {
  const ring = createRing(OUTPUT_MAX_CHARS);
  const whole = createByteRing(WHOLE_MAX_BYTES);
  let bytes = 0;
  return {
    add(text: string, ofBytes: number): void {
      bytes += ofBytes;
      ring.add(text);
      whole.add(text);
    },
    taken(): Collected {
      const [shown, all] = [ring.text(), whole.text()];
      return { output: shown, whole: all === shown ? null : all, output_bytes: bytes };
    },
  };
}

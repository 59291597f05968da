import { fstatSync } from "node:fs";

/** What stdin held: its text, or why there is none. */
export type Stdin = { readonly text: string } | { readonly text: null; readonly notice?: string };

const PATIENCE_MS = 3000;

/**
 * Reads a piped stdin to its end. Terminals and devices such as /dev/null are not looked at. With `patient` false (a
 * prompt was given) a pipe that delivers nothing for 3 s is ignored, and says so.
 */
export async function readStdin(options: { readonly patient: boolean }): Promise<Stdin> {
  if (process.stdin.isTTY || !isPiped()) return { text: null };
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const end = (result: Stdin) => {
      clearTimeout(timer);
      process.stdin.removeAllListeners().pause();
      resolve(result);
    };
    const giveUp = () =>
      end({ text: null, notice: "stdin delivered nothing for 3 s and is ignored (--no-stdin does not look)." });
    const timer = options.patient ? undefined : setTimeout(giveUp, PATIENCE_MS);
    process.stdin.on("data", (piece: Buffer) => {
      clearTimeout(timer);
      pieces.push(piece);
    });
    process.stdin.on("end", () => end({ text: Buffer.concat(pieces).toString("utf8") }));
    process.stdin.on("error", () => end({ text: null }));
  });
}

function isPiped(): boolean {
  try {
    // Plain numbers would land where Node 20 looks when it resolves the next import: having just seen a pipe there, it
    // follows no symbolic link, and a module's own dependencies are not found. Big ones land elsewhere.
    const stat = fstatSync(0, { bigint: true });
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false; // stdin is closed
  }
}

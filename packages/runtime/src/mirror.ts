import { appendFileSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { TranscriptMessage } from "@smith/contract/message";
import type { Usage } from "@smith/contract/model";

/** One line of a session file. */
export type SessionLine =
  | { readonly ts: number; readonly kind: "message"; readonly message: TranscriptMessage }
  | { readonly ts: number; readonly kind: "meta"; readonly meta: SessionMeta };

/** What is told beside the messages. */
export type SessionMeta =
  | { type: "run_start"; conversation_id: string; turn_id: string; input_chars: number; history_size: number }
  | { type: "budget_exhausted"; turn_id: string; which: string }
  | { type: "run_end"; turn_id: string; stop_reason: string; usage: Usage };

/** Writes sessions along into files, a line as it happens. Nothing here throws: a file that can't be written is a warning. */
export interface Mirror {
  /** A turn of the user's, to be mirrored into `dir`. */
  turn(place: MirroredTurn): TurnMirror;
}

export interface MirroredTurn {
  readonly dir: string;
  readonly cwd: string;
  readonly conversation_id: string;
  /** Becomes part of the file's name. */
  readonly label: string;
  warn(text: string): void;
}

export interface TurnMirror {
  meta(meta: SessionMeta): void;
  message(message: TranscriptMessage): void;
}

/** A file for each conversation of this process, made with its first line. */
export function createMirror(now: () => number): Mirror {
  /** Null: it could not be written, and is left alone. */
  const files = new Map<string, string | null>();
  const write = (place: MirroredTurn, line: SessionLine): void => {
    const known = files.get(place.conversation_id);
    if (known === null) return;
    try {
      const file = known ?? newFile(place, `${now().toString(36)}-${files.size + 1}`);
      files.set(place.conversation_id, file);
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (thrown) {
      files.set(place.conversation_id, null);
      place.warn(
        `session_dir: this session is not mirrored: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  };
  return Object.freeze<Mirror>({
    turn: (place) =>
      Object.freeze<TurnMirror>({
        meta: (meta) => write(place, { ts: now(), kind: "meta", meta }),
        message: (message) => write(place, { ts: message.ts, kind: "message", message }),
      }),
  });
}

function newFile({ dir, cwd, label }: MirroredTurn, stem: string): string {
  const folder = resolve(cwd, dir.replace(/^~(?=\/|$)/, homedir()));
  mkdirSync(folder, { recursive: true });
  const slug = slugOf(label);
  return join(folder, `${stem}${slug === "" ? "" : `-${slug}`}.jsonl`);
}

const SLUG_CHARS = 40;

/** Letters and digits of any script, joined by dashes: `fix-the-parser`. */
const slugOf = (label: string): string =>
  [...label.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-")]
    .slice(0, SLUG_CHARS)
    .join("")
    .replaceAll(/^-+|-+$/g, "");

/** The lines of a session file, or of an export, that can be read; the rest, as a torn last line, is left out. No file: none. */
export async function readSessionFile(path: string): Promise<readonly SessionLine[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").flatMap(readLine);
}

function readLine(text: string): readonly SessionLine[] {
  try {
    const line = JSON.parse(text) as Partial<Record<"ts" | "kind" | "message" | "meta", unknown>> | null;
    const ts = typeof line?.ts === "number" ? line.ts : null;
    if (ts === null) return [];
    if (line?.kind === "meta" && typeof line.meta === "object" && line.meta !== null) {
      return [{ ts, kind: "meta", meta: line.meta as SessionMeta }]; // more kinds may come; a reader looks at `type`
    }
    const message = line?.kind === "message" ? TranscriptMessage.safeParse(line.message) : null;
    return message?.success === true ? [{ ts, kind: "message", message: message.data }] : [];
  } catch {
    return []; // torn, or of another program
  }
}

import type { IncomingHttpHeaders } from "node:http";
import type { ScriptedCall, WireUsage } from "../script.ts";

/** An answer before it is written in any provider's format. */
export interface Answer {
  readonly say: string;
  readonly reasoning: string;
  readonly call: readonly ScriptedCall[];
  /** null: never said. */
  readonly finish: string | null;
  /** null: not reported. */
  readonly usage: WireUsage | null;
  readonly done: boolean;
  readonly model: string;
}

/** An answer as a stream: what says something, then what ends it. */
export interface Frames {
  readonly deltas: readonly string[];
  readonly ending: readonly string[];
}

/** One provider's HTTP format, seen from the server. */
export interface Wire {
  readonly name: string;
  /** Ending of the path it answers. */
  readonly path: string;
  readonly stream_type: string;
  /** What a real endpoint would refuse the request for; empty when nothing. */
  check(body: unknown): string[];
  /** The same for its headers. */
  checkHeaders?(headers: IncomingHttpHeaders): string[];
  /** Where models are listed, and how; default `…/models` as OpenAI does. */
  readonly list?: { readonly path: string; document(ids: readonly string[]): unknown };
  systemText(body: unknown): string;
  modelOf(body: unknown): string;
  isStream(body: unknown): boolean;
  frames(answer: Answer, body: unknown): Frames;
  document(answer: Answer): unknown;
  error(status: number, message: string): unknown;
}

/** The text of a call's arguments as it goes out. */
export const argsText = (call: ScriptedCall): string =>
  typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});

/**
 * The text in pieces of a few characters, never through a surrogate pair; longer texts in longer pieces, so that there
 * are at most about a thousand.
 */
export function inPieces(text: string, size = 12): string[] {
  const step = Math.max(size, Math.ceil(text.length / 1000));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const splitsPair = isHigh(text.charCodeAt(at + step - 1)) && isLow(text.charCodeAt(at + step));
    const end = at + step + (splitsPair ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** A member of what may be no object at all. */
export const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

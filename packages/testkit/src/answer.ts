import type { ServerResponse } from "node:http";
// Fake timers replace the globals but not this: the server's own turns must go on while a test holds the clock.
import { setImmediate as nextTick } from "node:timers/promises";
import type { Bytes, RawStep, StatusStep, Step, WireUsage } from "./script.ts";
import { type Answer, argsText, type Wire } from "./wires/wire.ts";

/** What an answer is made for. */
export interface Asked {
  readonly wire: Wire;
  readonly body: unknown;
  readonly raw_bytes: number;
  readonly piece_bytes: number;
  /** Resolves when the response is over, from either side. */
  readonly closed: Promise<void>;
}

/** Plays one step into a response. Returns when the answer is out, or the client is gone. */
export async function playStep(step: Step, response: ServerResponse, asked: Asked): Promise<void> {
  if ("status" in step) return sendStatus(step, response, asked);
  if ("raw" in step) return sendRaw(step, response, asked);
  if ("stall" in step && step.headers === false) return asked.closed;
  const answer = answerOf(step, asked);
  if (!asked.wire.isStream(asked.body)) return playDocument(step, answer, { response, asked });
  const { deltas, ending } = asked.wire.frames(answer, asked.body);
  response.writeHead(200, { "content-type": asked.wire.stream_type, "cache-control": "no-cache" });
  if ("stall" in step) {
    await sendPieces(deltas.join(""), response, asked);
    return asked.closed;
  }
  if (!("cut" in step)) {
    await sendPieces([...deltas, ...ending].join(""), response, asked);
    response.end();
    return;
  }
  const kept = answer.call.length > 0 ? deltas.slice(0, -1) : deltas;
  const next = [...deltas.slice(kept.length), ...ending][0] ?? "";
  const half = step.cut === "mid_event" ? next.slice(0, next.length >> 1) : "";
  await sendPieces(kept.join("") + half, response, asked);
  finishCut(step.cut, response);
}

/** A status with a body, and the connection stays usable. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function answerOf(step: Step, asked: Asked): Answer {
  const say = ("say" in step ? step.say : undefined) ?? "";
  const call = ("call" in step ? step.call : undefined) ?? [];
  const reasoning = ("reasoning" in step ? step.reasoning : undefined) ?? "";
  const finish = "finish" in step ? step.finish : undefined;
  const usage = "usage" in step ? step.usage : undefined;
  const words = say + reasoning + call.map((each) => each.name + argsText(each)).join("");
  return {
    say,
    call,
    reasoning,
    finish: finish === undefined ? (call.length > 0 ? "tool_calls" : "stop") : finish,
    usage: usage === undefined ? countedUsage(asked.raw_bytes, Buffer.byteLength(words)) : usage,
    done: !("done" in step && step.done === false),
    model: asked.wire.modelOf(asked.body),
  };
}

/** A token is four bytes here, so that more text really costs more. */
const countedUsage = (inBytes: number, outBytes: number): WireUsage => {
  const [prompt, completion] = [Math.ceil(inBytes / 4), Math.ceil(outBytes / 4)];
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
};

async function playDocument(
  step: Step,
  answer: Answer,
  { response, asked }: { response: ServerResponse; asked: Asked },
): Promise<void> {
  const text = JSON.stringify(asked.wire.document(answer));
  response.writeHead(200, { "content-type": "application/json" });
  if ("stall" in step) {
    response.flushHeaders();
    return asked.closed;
  }
  const cut = "cut" in step ? step.cut : null;
  await sendPieces(cut === null ? text : text.slice(0, text.length >> 1), response, asked);
  finishCut(cut ?? "close", response);
}

const finishCut = (cut: "close" | "reset" | "mid_event", response: ServerResponse): void => {
  if (cut === "reset") response.destroy();
  else response.end();
};

function sendStatus(step: StatusStep, response: ServerResponse, { wire }: Asked): void {
  const body = step.body ?? wire.error(step.status, `scripted status ${step.status}`);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  response.writeHead(step.status, { "content-type": type, ...step.headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function sendRaw(step: RawStep, response: ServerResponse, asked: Asked): Promise<void> {
  const type = asked.wire.isStream(asked.body) ? asked.wire.stream_type : "application/json";
  response.writeHead(200, { "content-type": type, ...step.headers });
  response.flushHeaders();
  for await (const bytes of chunksOf(step.raw)) {
    if (!(await write(bytes, response, asked))) return;
  }
  response.end();
}

const chunksOf = (raw: RawStep["raw"]): Iterable<Bytes> | AsyncIterable<Bytes> =>
  typeof raw === "string" || raw instanceof Uint8Array ? [raw] : raw;

/** At most this many writes per answer: long texts go out in bigger pieces. */
const MAX_PIECES = 9_000;

async function sendPieces(text: string, response: ServerResponse, asked: Asked): Promise<void> {
  const bytes = Buffer.from(text);
  const size = Math.max(asked.piece_bytes, Math.ceil(bytes.length / MAX_PIECES));
  if (bytes.length === 0) response.flushHeaders();
  for (let at = 0; at < bytes.length; at += size) {
    if (!(await write(bytes.subarray(at, at + size), response, asked))) return;
  }
}

/** One write, handed to the system before the next; false when the client is gone. */
async function write(bytes: Bytes, response: ServerResponse, { closed }: Asked): Promise<boolean> {
  if (response.destroyed || bytes.length === 0) return !response.destroyed;
  await Promise.race([new Promise<void>((resolve) => response.write(bytes, () => resolve())), closed]);
  await nextTick(); // lets the reader read, so that this piece arrives by itself
  return !response.destroyed;
}

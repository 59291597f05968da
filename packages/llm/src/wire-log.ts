import { appendFileSync, chmodSync } from "node:fs";
import type { FarEnd } from "./errors.ts";

/** Writes down what goes over the wire. */
export interface WireLog {
  begin(request: LoggedRequest): LogEntry;
}

export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

export interface LogEntry {
  head(status: number, headers: Readonly<Record<string, unknown>>): void;
  take(chunk: Uint8Array): void;
  /** `how`: `done`, `eof`, `cut`, `quiet`, or what went wrong. Only the first call counts. */
  end(how: string): void;
}

/** Headers whose value is a secret wherever it came from. */
const SECRET = /^(?:authorization|proxy-authorization|x-api-key|api-key|cookie|set-cookie)$|[-_]token$|secret/i;

/** A secret as logs may show it: its first and last four characters; `***` for one that is too short for that. */
export const redacted = (secret: string): string =>
  secret.length < 8 ? "***" : `${secret.slice(0, 4)}…${secret.slice(-4)}`;

/**
 * A log in a file of the user's own (mode 0600): one JSON line when a request goes out, one when its answer is over. The
 * provider's key, and what else the request carries that is nobody's business, is masked wherever it stands.
 */
export function openWireLog(path: string, far: FarEnd): WireLog {
  const clean = createMask(far.secrets);
  let count = 0;
  const write = (line: Readonly<Record<string, unknown>>) => {
    try {
      appendFileSync(path, `${clean(JSON.stringify({ ts: new Date().toISOString(), ...line }))}\n`, { mode: 0o600 });
      chmodSync(path, 0o600); // it may have been there before, open to others
    } catch {
      // The log is there to look for faults: a full disk or a wrong path must not become one.
    }
  };
  return Object.freeze({
    begin({ method, url, headers, body }: LoggedRequest) {
      const about = { provider: far.provider, request: `${process.pid}-${++count}` };
      const sent = body === undefined ? "" : Buffer.from(body).toString();
      write({ ...about, method, url, headers: maskHeaders(headers), body: sent });
      return createEntry((answer) => write({ ...about, ...answer }));
    },
  });
}

function createEntry(write: (answer: Readonly<Record<string, unknown>>) => void): LogEntry {
  const chunks: Uint8Array[] = [];
  let head: Readonly<Record<string, unknown>> = {};
  let ended = false;
  return {
    head(status, headers) {
      head = { status, headers: maskHeaders(headers) };
    },
    take: (chunk) => void chunks.push(chunk),
    end(how) {
      if (ended) return;
      ended = true;
      // Written as a whole: a key that came in two pieces would pass a mask that sees one at a time.
      write({ ...head, ended: how, body: Buffer.concat(chunks).toString() });
    },
  };
}

const maskHeaders = (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? maskValue(String(value)) : value]),
  );

/** The scheme before a key is no secret: `Bearer sk-1…cdef`. */
const maskValue = (value: string): string => {
  const [, scheme = "", secret = value] = /^((?:Bearer|Basic) )?(.*)$/s.exec(value) ?? [];
  return scheme + redacted(secret);
};

/** Masks secrets in a JSON text, in which they stand escaped once, or twice where it was JSON already. */
function createMask(secrets: readonly string[]): (line: string) => string {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  const forms = secrets.flatMap((secret) => [
    [escaped(escaped(secret)), secret] as const,
    [escaped(secret), secret] as const,
    [secret, secret] as const,
  ]);
  return (line) => forms.reduce((text, [form, secret]) => text.replaceAll(form, () => redacted(secret)), line);
}

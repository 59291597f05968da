import type { AgentError } from "@smith/contract/error";
import type { OpenProgram } from "@smith/contract/program";
import type { Connection } from "./connection.ts";
import type { Answer } from "./content.ts";
import { type Culprit, callFault, outOfTime, reasonOf, startFault, stillStarting } from "./fault.ts";
import { type Offer, offerOf } from "./offered.ts";
import { addressOf, type ServerConfig, type Surroundings, secretsOf } from "./settings.ts";
import { within } from "./within.ts";

/** Seconds after which a server that has not started is given up, whoever waits. */
const GIVE_UP_S = 60;
/** Seconds that a turn waits for a server whose last start came to nothing that way. */
const IMPATIENT_S = 1;
/** Seconds that who only looks waits for a start which a turn has waited for already. */
const AGAIN_S = 3;
/** Seconds that a list may take to be read anew. */
const RELIST_S = 5;
/** How long a server that let a call time out may take to say that it lives, ms. */
const PING_MS = 2000;

export interface ServerParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly version: string;
  readonly open: OpenProgram;
  surroundings(): Surroundings;
  /** The folder that the user works in. */
  root(): string;
}

export type Standing =
  | { readonly status: "idle" | "starting" | "ready"; readonly error: null }
  | { readonly status: "failed"; readonly error: string };

/** One configured server: started when it is needed, and again when it has died. */
export interface Server {
  readonly name: string;
  readonly config: ServerConfig;
  standing(): Standing;
  /** What it calls itself; empty until it was reached. */
  title(): string;
  /** What it offers, as far as it is known; nothing once it can't be started any more. */
  offer(): Offer;
  /**
   * Starts it unless it runs, and waits for it, but not longer than a turn should. A start is waited for once; `anew`: and a
   * moment more by who asks now. Never rejects.
   */
  ready(signal: AbortSignal, anew?: boolean): Promise<void>;
  /** @throws {AgentError} `mcp_unavailable`, `mcp_closed`, `mcp_error`. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

const NOTHING: Offer = Object.freeze({ tools: [], left_out: [] });

/** A start: it settles when the server is ready or has failed, and never rejects. */
interface Attempt {
  readonly settled: Promise<void>;
  /** A turn has waited for it as long as one does. */
  waited: boolean;
}

export function createServer(parts: ServerParts): Server {
  const { name, config } = parts;
  const closing = new AbortController();
  let attempt: Attempt | null = null;
  let connection: Connection | null = null;
  let offer = NOTHING;
  let failed: AgentError | null = null;
  let hung = false;
  let culprit: Culprit = { name, config, address: null, secrets: [] };

  const start = async (): Promise<void> => {
    const give_up = Math.max(GIVE_UP_S, config.start_timeout_s);
    const late = AbortSignal.timeout(give_up * 1000);
    try {
      const address = addressOf(name, config, parts.surroundings());
      culprit = { name, config, address, secrets: secretsOf(address, config) };
      const signal = AbortSignal.any([closing.signal, late]);
      const { connect } = await import("./connection.ts");
      const made = await connect({ ...parts, address, label: `mcp/${name}` }, signal);
      connection = made;
      offer = offerFrom(await made.list(signal), name, config);
      [failed, hung] = [null, false];
    } catch (thrown) {
      hung = late.aborted;
      failed = startFault(thrown, culprit, late.aborted ? give_up : null);
      offer = NOTHING;
      void connection?.close();
      connection = null;
    }
  };
  const begin = (): Attempt => {
    if (attempt !== null) return attempt;
    const begun: Attempt = {
      waited: false,
      settled: start().finally(() => {
        attempt = null;
      }),
    };
    attempt = begun;
    return begun;
  };
  const isUp = () => connection?.isOpen() === true && attempt === null;
  const live = async (signal: AbortSignal): Promise<Connection> => {
    if (!isUp()) await Promise.race([begin().settled, aborted(signal)]);
    if (connection?.isOpen() === true) return connection;
    throw failed ?? stillStarting(name);
  };
  const relist = async (): Promise<void> => {
    if (connection?.tookChange() !== true) return;
    const listed = await connection.list(AbortSignal.timeout(RELIST_S * 1000)).catch(() => null);
    if (listed !== null) offer = offerFrom(listed, name, config); // else what it offered before stands
  };
  /** A server that does not even answer a ping is ended: its next use starts it anew. */
  const suspect = async (one: Connection): Promise<void> => {
    if (!(await one.answersPing(PING_MS))) await one.close();
  };
  return Object.freeze({
    ...{ name, config },
    standing(): Standing {
      if (attempt !== null) return { status: "starting", error: null };
      if (failed !== null) return { status: "failed", error: failed.message };
      return { status: isUp() ? "ready" : "idle", error: null };
    },
    title: () => connection?.server ?? "",
    offer: () => offer,
    async ready(signal: AbortSignal, anew = false) {
      if (isUp()) return await relist();
      const usual = hung ? IMPATIENT_S : config.start_timeout_s;
      const begun = begin();
      const patience = begun.waited ? (anew ? Math.min(usual, AGAIN_S) : 0) : usual;
      if (patience > 0) await within(patience * 1000, begun.settled, signal);
      begun.waited = true;
    },
    async call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) {
      const one = await live(signal);
      try {
        return await one.call(tool, args, signal);
      } catch (thrown) {
        if (signal.aborted) {
          void suspect(one);
          throw outOfTime(name, config.timeout_s); // or cancelled, which whoever cancelled knows
        }
        if (!isForgotten(thrown, config)) throw callFault(thrown, culprit, one);
        // It knows the session no more, so it has done nothing: a new one may.
        await one.close();
        return await (await live(signal)).call(tool, args, signal).catch((again: unknown) => {
          throw callFault(again, culprit, one);
        });
      }
    },
    async close() {
      closing.abort();
      await attempt?.settled;
      await connection?.close();
    },
  });
}

function offerFrom(
  listed: { readonly tools: readonly unknown[]; readonly cut: boolean },
  name: string,
  config: ServerConfig,
): Offer {
  const offer = offerOf(name, listed.tools, config);
  if (!listed.cut) return offer;
  return {
    ...offer,
    left_out: [...offer.left_out, { tool: "(further ones)", why: "the server's list does not come to an end" }],
  };
}

/** A session that the server has forgotten: it is to be begun anew, and says so with 404. */
const isForgotten = (thrown: unknown, config: ServerConfig): boolean =>
  "url" in config && reasonOf(thrown).code === 404;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

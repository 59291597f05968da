import { AgentError } from "@smith/contract/error";
import type { OpenProgram } from "@smith/contract/program";
import type { Connection } from "./connection.ts";
import type { Answer } from "./content.ts";
import { callFault, outOfTime, reasonOf, stillStarting } from "./fault.ts";
import type { Offer } from "./offered.ts";
import type { ServerConfig, Surroundings } from "./settings.ts";
import { createStarter, type Starter } from "./starter.ts";
import { within } from "./within.ts";

/** Seconds that a turn waits for a server whose last start came to nothing that way. */
const IMPATIENT_S = 1;
/** Seconds that who only looks waits for a start which a turn has waited for already. */
const AGAIN_S = 3;
/** A start ends by itself, and the call's own signal keeps its time. */
const NO_LIMIT_MS = 0x7fff_ffff;
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

export function createServer(parts: ServerParts): Server {
  const { name, config } = parts;
  const starter = createStarter(parts);
  const isUp = () => starter.attempt() === null && starter.stand().connection?.isOpen() === true;
  const live = async (signal: AbortSignal): Promise<Connection> => {
    if (!isUp()) await within(NO_LIMIT_MS, starter.begin().settled, signal);
    const { connection, failed } = starter.stand();
    if (connection?.isOpen() === true) return connection;
    throw failed ?? stillStarting(name);
  };
  /** Makes one call; what goes wrong is told as an error of ours. */
  const ask = async (one: Connection, call: Call, signal: AbortSignal): Promise<Answer> => {
    try {
      return await one.call(call.tool, call.args, signal);
    } catch (thrown) {
      if (!signal.aborted) throw isForgotten(thrown, config) ? thrown : callFault(thrown, starter.stand().culprit, one);
      void suspect(one);
      throw outOfTime(name, config.timeout_s); // or cancelled, which whoever cancelled knows
    }
  };
  return Object.freeze({
    ...{ name, config },
    standing: () => standingOf(starter, isUp()),
    title: () => starter.stand().connection?.server ?? "",
    offer: () => starter.stand().offer,
    async ready(signal: AbortSignal, anew = false) {
      if (isUp()) return await starter.relist(signal);
      const usual = starter.stand().hung ? IMPATIENT_S : config.start_timeout_s;
      const begun = starter.begin();
      const patience = begun.waited ? (anew ? Math.min(usual, AGAIN_S) : 0) : usual;
      if (patience > 0) await within(patience * 1000, begun.settled, signal);
      begun.waited = true;
    },
    async call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) {
      const one = await live(signal);
      return await ask(one, { tool, args }, signal).catch(async (thrown: unknown) => {
        if (thrown instanceof AgentError) throw thrown;
        // It knows the session no more, so it has done nothing: a new one may.
        await one.close();
        const another = await live(signal);
        return await ask(another, { tool, args }, signal).catch((again: unknown) => {
          throw callFault(again, starter.stand().culprit, another);
        });
      });
    },
    close: starter.close,
  });
}

interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function standingOf(starter: Starter, isUp: boolean): Standing {
  if (starter.attempt() !== null) return { status: "starting", error: null };
  const { failed } = starter.stand();
  return failed === null
    ? { status: isUp ? "ready" : "idle", error: null }
    : { status: "failed", error: failed.message };
}

/** A server that does not even answer a ping is ended: its next use starts it anew. */
async function suspect(one: Connection): Promise<void> {
  if (!(await one.answersPing(PING_MS))) await one.close();
}

/** A session that the server has forgotten: it is to be begun anew, and says so with 404. */
const isForgotten = (thrown: unknown, config: ServerConfig): boolean =>
  "url" in config && reasonOf(thrown).code === 404;

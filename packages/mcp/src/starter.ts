import type { AgentError } from "@smith/contract/error";
import type { Connection, Listed } from "./connection.ts";
import { type Culprit, startFault } from "./fault.ts";
import { type Offer, offerOf } from "./offered.ts";
import type { ServerParts } from "./server.ts";
import { reachOf, type ServerConfig } from "./settings.ts";

/** Seconds after which a server that has not started is given up, whoever waits. */
const GIVE_UP_S = 60;
/** Seconds that a list may take to be read anew. */
const RELIST_S = 5;

/** A start: it settles when the server is ready or has failed, and never rejects. */
export interface Attempt {
  readonly settled: Promise<void>;
  /** A turn has waited for it as long as one does. */
  waited: boolean;
}

/** Where a server stands, after its last start. */
export interface Stand {
  /** The last that was made; it may have closed since. */
  readonly connection: Connection | null;
  /** What it offers; nothing once it can't be started any more. */
  readonly offer: Offer;
  readonly failed: AgentError | null;
  /** The last start came to nothing by taking too long. */
  readonly hung: boolean;
  readonly culprit: Culprit;
}

export interface Starter {
  /** The start that is under way; null between starts. */
  attempt(): Attempt | null;
  stand(): Stand;
  /** Begins a start, or joins the one that is under way. */
  begin(): Attempt;
  /** Reads the list anew where the server has said that it changed. */
  relist(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const NOTHING: Offer = Object.freeze({ tools: [], left_out: [] });

/** Starts one server, one start at a time, and keeps what came of it. */
export function createStarter(parts: ServerParts): Starter {
  const { name, config } = parts;
  const closing = new AbortController();
  let attempt: Attempt | null = null;
  let culprit: Culprit = { name, config, address: null, secrets: [] };
  let stand: Stand = { connection: null, offer: NOTHING, failed: null, hung: false, culprit };

  const connected = async (signal: AbortSignal): Promise<Stand> => {
    const { address, hidden } = reachOf(name, config, parts.surroundings());
    culprit = { name, config, address, secrets: hidden.secrets };
    const { connect } = await import("./connection.ts");
    const connection = await connect({ ...parts, address, keys: hidden.keys, label: `mcp/${name}` }, signal);
    try {
      const offer = offerFrom(await connection.list(signal), name, config);
      return { connection, offer, failed: null, hung: false, culprit };
    } catch (thrown) {
      void connection.close(); // one that can't say what it offers is of no use
      throw thrown;
    }
  };
  const start = async (): Promise<void> => {
    const give_up = Math.max(GIVE_UP_S, config.start_timeout_s);
    const late = AbortSignal.timeout(give_up * 1000);
    stand = await connected(AbortSignal.any([closing.signal, late])).catch((thrown: unknown): Stand => {
      const failed = startFault(thrown, culprit, late.aborted ? give_up : null);
      return { connection: null, offer: NOTHING, failed, hung: late.aborted, culprit };
    });
    attempt = null;
  };
  return Object.freeze({
    attempt: () => attempt,
    stand: () => stand,
    begin() {
      attempt ??= { waited: false, settled: start() };
      return attempt;
    },
    async relist(signal: AbortSignal) {
      const { connection } = stand;
      const listed = await connection?.listChanged(AbortSignal.any([signal, AbortSignal.timeout(RELIST_S * 1000)]));
      if (listed) stand = { ...stand, offer: offerFrom(listed, name, config) }; // else what it offered stands
    },
    async close() {
      closing.abort();
      await attempt?.settled;
      await stand.connection?.close();
    },
  });
}

function offerFrom(listed: Listed, name: string, config: ServerConfig): Offer {
  const offer = offerOf(name, listed.tools, config);
  if (!listed.cut) return offer;
  const rest = { tool: "(further ones)", why: "the server's list does not come to an end" };
  return { ...offer, left_out: [...offer.left_out, rest] };
}

import type { CatalogModel, CatalogPage } from "@smith/contract/catalog";
import type { Config } from "@smith/contract/config";
import { type AgentError, toAgentError } from "@smith/contract/error";
import type { Store } from "@smith/contract/store";
import { type Endpoint, type Env, hostOf, keyOf, shownUrl } from "./endpoints.ts";

/** What is known of a model at an endpoint, and who says so. */
export interface Known extends Omit<CatalogModel, "id"> {
  /** Who told the window: the user's own configuration, the endpoint's list, or the table that comes with Smith. */
  readonly source: "configuration" | "endpoint" | "table" | null;
  /** The price is the user's own: it holds whatever anybody else says. */
  readonly is_own_price: boolean;
}

/** What one endpoint offers. */
export interface Offered {
  readonly endpoint: Endpoint;
  readonly models: readonly CatalogModel[];
  /** When the endpoint itself told, ms; null: it did not, and the models are those of the table. */
  readonly fetched_at: number | null;
  /** Why it could not be asked just now; null when it could, or was not. */
  readonly error: AgentError | null;
}

export interface Catalog {
  /** Reads what is kept of these endpoints. Asks nobody, never rejects; only the first time of each costs anything. */
  load(endpoints: readonly Endpoint[]): Promise<void>;
  /** From what was loaded. */
  find(endpoint: Endpoint, model: string): Known;
  /** Asks the endpoints that were not asked for a day, in the background. What goes wrong is nobody's concern. */
  refresh(endpoints: readonly Endpoint[]): void;
  /** With `fresh`, and what is older than a day, asked for now. */
  list(endpoint: Endpoint, fresh: boolean): Promise<Offered>;
  /** Breaks off what is asked for in the background. */
  close(): void;
}

export interface CatalogParts {
  readonly store: Pick<Store["catalog"], "get" | "put">;
  readonly env: Env;
  /** The user's own prices, by model or `provider:model`. */
  prices(): Readonly<Config>["prices"];
  now(): number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Seconds of each request for a list. */
const ASK_S = 10;

const NOBODY: CatalogPage = Object.freeze({ fetched_at: null, tried_at: 0, models: [] });

/** The catalog of a runtime: what endpoints listed, kept in the store, over the table that comes with Smith. */
export function createCatalog({ store, env, prices, now }: CatalogParts): Catalog {
  const pages = new Map<string, CatalogPage>();
  const found = new Map<string, Known>();
  const closing = new AbortController();
  let table: Pick<typeof import("@smith/llm"), "vendoredModel" | "vendoredModels"> | null = null;

  const load = async (endpoints: readonly Endpoint[]) => {
    table ??= await import("@smith/llm");
    const missing = endpoints.filter((endpoint) => !pages.has(keyFor(endpoint)));
    const read = missing.map(async (endpoint) => {
      // A catalog that can't be read is one that was never fetched.
      const page = await store.get(keyFor(endpoint)).catch(() => null);
      pages.set(keyFor(endpoint), page ?? NOBODY);
    });
    await Promise.all(read);
  };
  const keep = async (endpoint: Endpoint, page: CatalogPage) => {
    pages.set(keyFor(endpoint), page);
    found.clear();
    await store.put(keyFor(endpoint), page).catch(() => {}); // unsaved, it serves this session
  };
  const ask = async (endpoint: Endpoint, thorough: boolean): Promise<AgentError | null> => {
    const before = pages.get(keyFor(endpoint)) ?? NOBODY;
    try {
      const models = await listAt(endpoint, env, { thorough, signal: closing.signal });
      await keep(endpoint, { fetched_at: now(), tried_at: now(), models: [...models] });
      return null;
    } catch (thrown) {
      if (!closing.signal.aborted) await keep(endpoint, { ...before, tried_at: now() });
      return toAgentError(thrown, "runtime/catalog"); // a value: who wants the list is told, a turn is not
    }
  };
  const isStale = (endpoint: Endpoint) => now() - (pages.get(keyFor(endpoint)) ?? NOBODY).tried_at >= DAY_MS;

  return Object.freeze<Catalog>({
    load,
    find(endpoint, model) {
      const key = JSON.stringify([keyFor(endpoint), endpoint.context_window, model]);
      const known =
        found.get(key) ?? merge(endpoint, pageEntry(pages.get(keyFor(endpoint)), model), fromTable(endpoint, model));
      found.set(key, known);
      return withOwnPrice(known, endpoint, model);
    },
    refresh(endpoints) {
      const due = endpoints.filter((endpoint) => endpoint.kind !== "ai_sdk" && isStale(endpoint));
      for (const endpoint of due) {
        pages.set(keyFor(endpoint), { ...(pages.get(keyFor(endpoint)) ?? NOBODY), tried_at: now() });
        void ask(endpoint, false); // no stranger is asked at odd addresses unless the user wants to know
      }
    },
    async list(endpoint, fresh) {
      await load([endpoint]);
      const canAsk = endpoint.kind !== "ai_sdk";
      const error = canAsk && (fresh || isStale(endpoint)) ? await ask(endpoint, true) : null;
      const { fetched_at, models } = pages.get(keyFor(endpoint)) ?? NOBODY;
      const own = fetched_at === null ? tableOf(endpoint) : models;
      return {
        endpoint,
        fetched_at,
        error,
        models: own.map((model) => ({
          id: model.id,
          ...withOwnPrice(merge(endpoint, model, fromTable(endpoint, model.id)), endpoint, model.id),
        })),
      };
    },
    close: () => closing.abort(),
  });

  function withOwnPrice(known: Known, { provider }: Endpoint, model: string): Known {
    const all = prices();
    const own = [`${provider}:${model}`, model].find((name) => Object.hasOwn(all, name));
    const price = own === undefined ? undefined : all[own];
    return price === undefined ? known : { ...known, price: { ...price, tiers: [] }, is_own_price: true };
  }
  function fromTable(endpoint: Endpoint, model: string): CatalogModel | null {
    return table?.vendoredModel(model, placeOf(endpoint)) ?? null;
  }
  function tableOf(endpoint: Endpoint): readonly CatalogModel[] {
    return table?.vendoredModels(placeOf(endpoint)) ?? [];
  }
}

/** The endpoint's own entry, also under the tag that Ollama adds to a bare name. */
const pageEntry = (page: CatalogPage | undefined, model: string): CatalogModel | null =>
  page?.models.find(({ id }) => id === model) ?? page?.models.find(({ id }) => id === `${model}:latest`) ?? null;

/** The user's own number wins, then what the endpoint says, then the table. A price is taken whole from one of them. */
function merge({ context_window: own }: Endpoint, listed: CatalogModel | null, table: CatalogModel | null): Known {
  const told = listed?.context_window ?? null;
  return {
    context_window: own ?? told ?? table?.context_window ?? null,
    max_output_tokens: listed?.max_output_tokens ?? table?.max_output_tokens ?? null,
    price: listed?.price ?? table?.price ?? null,
    thinks: listed?.thinks ?? table?.thinks ?? null,
    loaded: listed?.loaded ?? null,
    is_own_price: false,
    source: own !== null ? "configuration" : told !== null ? "endpoint" : table === null ? null : "table",
  };
}

/** An endpoint as the store knows it: no key, no credentials. */
const keyFor = (endpoint: Endpoint): string => `${endpoint.kind} ${endpoint.package ?? ""}${shownUrl(endpoint)}`;

/** Whose prices hold there: `@ai-sdk/google` asks Google. */
function placeOf({ kind, api_url, package: name }: Endpoint) {
  const vendor = kind === "ai_sdk" && api_url === "" ? (/^@ai-sdk\/(\w+)$/.exec(name ?? "")?.[1] ?? null) : null;
  return { host: hostOf(api_url), vendor };
}

/** @throws {AgentError} as `listCatalog`. */
async function listAt(
  endpoint: Endpoint,
  env: Env,
  how: { readonly signal: AbortSignal; readonly thorough: boolean },
): Promise<readonly CatalogModel[]> {
  const { listCatalog } = await import("@smith/llm");
  return await listCatalog(listOptions(endpoint, env), { ...how, timeout_s: ASK_S });
}

/** What a request for an endpoint's list needs. */
export function listOptions(endpoint: Endpoint, env: Env) {
  const { provider, kind, api_url, api_key_env, headers } = endpoint;
  return { provider, kind, api_url, api_key_env, headers: headers ?? undefined, env, api_key: keyOf(endpoint, env) };
}

import type { ModelRow, ModelsHost } from "@smith/contract/catalog";
import type { Config } from "@smith/contract/config";
import type { Catalog, Offered } from "./catalog.ts";
import { findLocalServers, fromEnvironment } from "./discover.ts";
import { type Endpoint, type Env, endpointsOf, shownUrl } from "./endpoints.ts";
import { noModel } from "./models.ts";

export interface ModelsParts {
  readonly catalog: Pick<Catalog, "list">;
  readonly env: Env;
  config(): Readonly<Config>;
  now(): number;
}

/** The models of every endpoint. */
export function createModelsHost({ catalog, env, config, now }: ModelsParts): ModelsHost {
  return Object.freeze({
    async list(refresh: boolean) {
      const endpoints = await allEndpoints(config(), env);
      if (endpoints.length === 0) throw noModel();
      const offered = await Promise.all(endpoints.map((endpoint) => catalog.list(endpoint, refresh)));
      return {
        models: offered.flatMap(({ endpoint, models }) => models.map((model) => rowOf(endpoint, model))),
        notes: offered.map((each) => noteOf(each, now())),
        faults: offered.filter(hasFault).map((each) => noteOf(each, now())),
        ok: offered.some(({ error, models }) => error === null || models.length > 0),
      };
    },
  });
}

/** Those that are configured, else those that are found: by a key in the environment, or on this machine. */
export async function allEndpoints(config: Readonly<Config>, env: Env): Promise<readonly Endpoint[]> {
  const configured = endpointsOf(config);
  if (configured.length > 0) return configured;
  const keyed = await fromEnvironment(env, true);
  const local = await findLocalServers(env);
  return [...(keyed === null ? [] : [keyed]), ...local].map(({ endpoint }) => endpoint);
}

function rowOf(
  { provider }: Endpoint,
  { id, context_window, max_output_tokens, price, loaded }: Offered["models"][number],
): ModelRow {
  const [input_per_mtok, output_per_mtok] = [price?.input_per_mtok ?? null, price?.output_per_mtok ?? null];
  return { id, provider, context_window, max_output_tokens, input_per_mtok, output_per_mtok, loaded };
}

function noteOf({ endpoint, models, fetched_at, error }: Offered, now: number): string {
  const place = `${endpoint.provider}${endpoint.api_url === "" ? "" : ` at ${shownUrl(endpoint)}`}`;
  const told =
    fetched_at !== null
      ? `listed ${models.length} ${age(now - fetched_at)}`
      : models.length > 0
        ? "the table that comes with Smith"
        : `no list${error === null ? "; --refresh asks again" : ""}`;
  return `${place}: ${told}${error === null ? "" : `; asked now: ${error.message}`}`;
}

const hasFault = ({ models, error }: Offered): boolean => error !== null || models.length === 0;

function age(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "just now";
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

import type { CatalogModel } from "@smith/contract/catalog";
import type { Provider } from "@smith/contract/config";
import { isObject, textOf } from "../wire.ts";
import { cataloged, listIn, modelOf } from "./entries.ts";

/** Asks the server at a further address; undefined when it does not answer there. */
export type AskMore = (place: { readonly path: string; readonly body?: unknown }) => Promise<unknown>;

/** Models that an Ollama server is asked about one by one, and how many at a time. */
const SHOWN = 60;
const SIDE_BY_SIDE = 4;

/** Servers that tell more at addresses of their own. */
export type Make = "ollama" | "lmstudio" | "llamacpp";

/** Whose server it may be, by what it lists and what its provider is called: nobody else is asked at such addresses. */
export function makesOf(entries: readonly unknown[], kind: Provider["kind"], provider: string): readonly Make[] {
  if (kind !== "openai_chat") return kind === "ollama" ? ["ollama"] : [];
  const owners = entries.map((entry) => (isObject(entry) ? textOf(entry["owned_by"]) : ""));
  const hasStatus = entries.some((entry) => isObject(entry) && isObject(entry["status"]));
  const signs: readonly (readonly [make: Make, isIt: boolean])[] = [
    ["lmstudio", provider === "lmstudio" || owners.includes("organization_owner")],
    ["llamacpp", provider === "llamacpp" || owners.includes("llamacpp") || hasStatus],
  ];
  return signs.flatMap(([make, isIt]) => (isIt ? [make] : []));
}

const OF: Readonly<
  Record<Make, (models: readonly CatalogModel[], ask: AskMore) => Promise<readonly CatalogModel[] | null>>
> = {
  ollama: ofOllama,
  lmstudio: ofLmStudio,
  llamacpp: ofLlamaCpp,
};

/** The models with what a server of one of these makes tells elsewhere. */
export async function detailed(
  models: readonly CatalogModel[],
  makes: readonly Make[],
  ask: AskMore,
): Promise<readonly CatalogModel[]> {
  for (const make of makes) {
    if (make !== "ollama" && models.every(isKnown)) return models;
    const more = await OF[make](models, ask);
    if (more !== null) return more;
  }
  return models;
}

/** A list that tells of windows is all there is. */
const isKnown = ({ context_window }: CatalogModel): boolean => context_window !== null;

async function ofOllama(models: readonly CatalogModel[], ask: AskMore): Promise<readonly CatalogModel[]> {
  const running = listIn(await ask({ path: "/api/ps" }));
  const loaded = running === null ? null : new Set(running.map((entry) => modelOf(entry)?.id));
  const shown: CatalogModel[] = [];
  for (let at = 0; at < models.length; at += SIDE_BY_SIDE) {
    const batch = models.slice(at, at + SIDE_BY_SIDE);
    const told = await Promise.all(
      batch.map(async (model) =>
        at < SHOWN ? showing(model, await ask({ path: "/api/show", body: { model: model.id } })) : model,
      ),
    );
    shown.push(...told.filter((model) => model !== null));
  }
  return shown.map((model) => ({ ...model, loaded: loaded === null ? null : loaded.has(model.id) }));
}

/** A model with what `/api/show` tells of it; null when it can't chat. */
function showing(model: CatalogModel, show: unknown): CatalogModel | null {
  if (!isObject(show)) return model;
  const { model_info: info, capabilities } = show;
  const said = modelOf({ id: model.id, capabilities });
  if (said === null) return null;
  const family = isObject(info) ? textOf(info["general.architecture"]) : "";
  const context = isObject(info) ? info[`${family}.context_length`] : undefined;
  return {
    ...model,
    thinks: said.thinks,
    context_window: modelOf({ id: "x", context_length: context })?.context_window ?? null,
  };
}

async function ofLmStudio(models: readonly CatalogModel[], ask: AskMore): Promise<readonly CatalogModel[] | null> {
  const told = listIn(await ask({ path: "/api/v0/models" }));
  return told === null ? null : joined(models, told);
}

/** Its own list stands without `/v1`; a server with one model tells its window among its properties. */
async function ofLlamaCpp(models: readonly CatalogModel[], ask: AskMore): Promise<readonly CatalogModel[] | null> {
  const list = listIn(await ask({ path: "/models" }));
  const told = list === null ? models : joined(models, list);
  const [only, ...others] = told;
  if (only === undefined || others.length > 0 || only.context_window !== null) return told;
  const props = await ask({ path: "/props" });
  const settings = isObject(props) ? props["default_generation_settings"] : undefined;
  const n_ctx = isObject(settings) ? settings["n_ctx"] : undefined;
  return [
    {
      ...only,
      context_window: modelOf({ id: "x", context_length: n_ctx })?.context_window ?? null,
      loaded: only.loaded ?? true,
    },
  ];
}

/** What a second list says of the models of the first. One that it names and drops (an embedding) is dropped. */
function joined(models: readonly CatalogModel[], entries: readonly unknown[]): readonly CatalogModel[] {
  const told = new Map(cataloged(entries).map((model) => [model.id, model]));
  const named = new Set(entries.map((entry) => (isObject(entry) ? textOf(entry["id"]) : textOf(entry))));
  return models
    .filter(({ id }) => told.has(id) || !named.has(id))
    .map((model) => {
      const more = told.get(model.id);
      if (more === undefined) return model;
      return {
        ...model,
        context_window: more.context_window ?? model.context_window,
        max_output_tokens: more.max_output_tokens ?? model.max_output_tokens,
        thinks: more.thinks ?? model.thinks,
        loaded: more.loaded ?? model.loaded,
      };
    });
}

import type { CatalogModel, Price } from "@smith/contract/catalog";
import { TABLE, VENDORED_ON } from "./table.ts";

export { VENDORED_ON };

/** Where each vendor is reached: its prices hold there alone. */
const HOMES: Readonly<Record<string, string>> = {
  "api.anthropic.com": "anthropic",
  "api.openai.com": "openai",
  "generativelanguage.googleapis.com": "google",
  "api.deepseek.com": "deepseek",
  "api.mistral.ai": "mistral",
  "api.x.ai": "xai",
  "api.groq.com": "groq",
  "api.moonshot.ai": "moonshotai",
  "api.z.ai": "zai",
  "api.cerebras.ai": "cerebras",
};

/** Where a model is asked: an address, or the name of a vendor. */
export interface Vendored {
  readonly host: string | null;
  readonly vendor?: string | null | undefined;
}

/**
 * What the table that comes with Smith says of a model. At its vendor's own address that includes the price; elsewhere,
 * and under a gateway's prefix (`vendor/model`), only what the model itself can do. Null when it is not in the table.
 */
export function vendoredModel(model: string, { host, vendor }: Vendored): CatalogModel | null {
  const home = homeOf({ host, vendor });
  const tables = readTable();
  const own = home === undefined ? undefined : tables.get(home)?.get(model.replace(/^models\//, ""));
  if (own !== undefined) return own;
  const bare = model.slice(model.lastIndexOf("/") + 1).replace(/:\w+$/, "");
  for (const models of tables.values()) {
    const found = models.get(model) ?? models.get(bare) ?? models.get(bare.replace(/(\d)\.(\d)/g, "$1-$2"));
    if (found !== undefined) return { ...found, id: model, price: null };
  }
  return null;
}

/** All models of the vendor that is at home at a host; none for other hosts. */
export function vendoredModels({ host, vendor }: Vendored): readonly CatalogModel[] {
  const home = homeOf({ host, vendor });
  return home === undefined ? [] : [...(readTable().get(home)?.values() ?? [])];
}

const homeOf = ({ host, vendor }: Vendored): string | undefined =>
  vendor ?? (host !== null && Object.hasOwn(HOMES, host) ? HOMES[host] : undefined);

type Tables = ReadonlyMap<string, ReadonlyMap<string, CatalogModel>>;

/** A tenth of a millisecond: nothing to keep in a module. */
function readTable(): Tables {
  const tables = new Map<string, Map<string, CatalogModel>>();
  let models = new Map<string, CatalogModel>();
  for (const line of TABLE.trim().split("\n")) {
    if (line.startsWith("@")) {
      models = new Map();
      tables.set(line.slice(1), models);
      continue;
    }
    const model = readLine(line);
    models.set(model.id, model);
  }
  return tables;
}

function readLine(line: string): CatalogModel {
  const [first = "", ...tiers] = line.split(" >");
  const [id = "", context, output, thinks, ...rates] = first.split(" ");
  const base = ratesOf(rates);
  return {
    id,
    context_window: numberOf(context),
    max_output_tokens: numberOf(output),
    thinks: thinks === "y",
    loaded: null,
    price: base === null ? null : { ...base, tiers: tiers.flatMap(tierOf) },
  };
}

const numberOf = (text: string | undefined): number | null =>
  text === undefined || text === "-" ? null : Number(text);

function ratesOf([input, output, read, write]: readonly string[]): Omit<Price, "tiers"> | null {
  const [input_per_mtok, output_per_mtok] = [numberOf(input), numberOf(output)];
  if (input_per_mtok === null || output_per_mtok === null) return null;
  return {
    ...{ input_per_mtok, output_per_mtok, reasoning_per_mtok: null },
    cache_read_per_mtok: numberOf(read),
    cache_write_per_mtok: numberOf(write),
  };
}

function tierOf(text: string): Price["tiers"] {
  const [above, ...rates] = text.split(" ");
  const base = ratesOf(rates);
  return base === null ? [] : [{ above: Number(above), ...base }];
}

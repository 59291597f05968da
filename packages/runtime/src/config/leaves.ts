import { Config, type LeafMeta } from "@smith/contract/config";
import { z } from "zod";
import { isLayer, type Layer } from "./merge.ts";

export interface Leaf extends LeafMeta {
  /** Dotted, as `llm_config.api_url`; a map such as `models` is one leaf, its entries lie below it. */
  readonly path: string;
  readonly schema: z.ZodType;
}

let known: readonly Leaf[] | null = null;

/** Every leaf of the schema with what it says of itself, in its order. */
export function leaves(): readonly Leaf[] {
  known ??= walk(Config, ""); // derived from a constant, once
  return known;
}

/** The leaf that a path is, or lies below (`models.worker` below `models`); undefined for none. */
export const leafOf = (path: string): Leaf | undefined =>
  leaves().find((leaf) => leaf.path === path || (path.startsWith(`${leaf.path}.`) && isMap(leaf.schema)));

/** Whether the path is a leaf, lies below a map, or holds leaves. */
export const isKey = (path: string): boolean =>
  leafOf(path) !== undefined || leaves().some((leaf) => leaf.path.startsWith(`${path}.`));

/** Whether `/config set` takes the path. */
export const isOverridable = (path: string): boolean => {
  const leaf = leafOf(path);
  if (leaf === undefined || !leaf.overridable) return false;
  return isMap(leaf.schema) ? path.split(".").length === leaf.path.split(".").length + 1 : path === leaf.path;
};

function walk(schema: z.ZodType, path: string): readonly Leaf[] {
  const meta = schema.meta() as LeafMeta | undefined;
  if (meta?.description !== undefined) return [{ ...meta, path, schema }];
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, child]) =>
    walk(child as z.ZodType, path === "" ? key : `${path}.${key}`),
  );
}

const isMap = (schema: z.ZodType): boolean => unwrap(schema) instanceof z.ZodRecord;

/** What lies below `.prefault({})`, `.default(…)`, `.optional()`. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const inner = (schema as { def: { innerType?: z.ZodType } }).def.innerType;
  return inner === undefined ? schema : unwrap(inner);
}

/** The paths a layer sets, down to the leaves; what no leaf knows is told by its own path. */
export function pathsIn(layer: Layer, prefix = ""): readonly string[] {
  return Object.entries(layer).flatMap(([key, value]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    return leafOf(path) === undefined && isLayer(value) ? pathsIn(value, path) : [path];
  });
}

/** The value at a dotted path; undefined where there is none. */
export function valueAt(layer: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, step) => (isLayer(value) && Object.hasOwn(value, step) ? value[step] : undefined), layer);
}

/** A copy of the layer without the path; parents that become empty go too. */
export function without(layer: Layer, path: string): Layer {
  const [step = "", ...rest] = path.split(".");
  const { [step]: value, ...others } = layer;
  if (rest.length === 0 || !isLayer(value)) return rest.length === 0 ? others : layer;
  const left = without(value, rest.join("."));
  return Object.keys(left).length === 0 ? others : { ...layer, [step]: left };
}

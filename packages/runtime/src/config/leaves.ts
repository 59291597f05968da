import { Config, type LeafMeta } from "@smith/contract/config";
import { z } from "zod";

export interface Leaf extends LeafMeta {
  /** Dotted, as `llm_config.api_url`; `models` stands for `models.<role>`. */
  readonly path: string;
}

/** Every leaf of the schema with what it says of itself, in its order. */
export function leaves(): readonly Leaf[] {
  return walk(Config, "");
}

export const knownPaths = (): readonly string[] => leaves().map((leaf) => leaf.path);

function walk(schema: z.ZodType, path: string): readonly Leaf[] {
  const meta = schema.meta() as LeafMeta | undefined;
  if (meta?.description !== undefined) return [{ ...meta, path }];
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([key, child]) =>
    walk(child as z.ZodType, path === "" ? key : `${path}.${key}`),
  );
}

/** The object below `.prefault({})` and friends. */
function unwrap(schema: z.ZodType): z.ZodType {
  const inner = (schema as { def: { innerType?: z.ZodType } }).def.innerType;
  return inner === undefined ? schema : unwrap(inner);
}

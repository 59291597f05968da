import { Config } from "@smith/contract/config";
import { nearest } from "@smith/contract/edit-distance";
import { z } from "zod";
import { leaves, unwrap } from "./leaves.ts";

/**
 * The path that a wrong one most likely meant: a like name at the same place, the same name elsewhere
 * (`api_url` for `llm_config.api_url`), else the path with the fewest wrong letters. Null when none is near.
 * @param wanted the paths to choose from; default: every leaf.
 */
export function nearestPath(path: readonly (string | number)[], wanted?: readonly string[]): string | null {
  const paths = wanted ?? leaves().map((leaf) => leaf.path);
  const above = path.slice(0, -1);
  const full = (name: string) => [...above, name].join(".");
  const isWanted = (name: string) =>
    wanted === undefined || paths.some((each) => each === full(name) || each.startsWith(`${full(name)}.`));
  const names = keysAt(above);
  const neighbour = nearest(String(path.at(-1)), names.filter(isWanted));
  if (neighbour !== null) return full(neighbour);
  const elsewhere = paths.find((each) => each.endsWith(`.${path.join(".")}`));
  if (elsewhere !== undefined) return elsewhere;
  return above.length > 0 && names.length > 0 ? null : nearest(path.join("."), paths);
}

/** `max_round is no configuration key. Did you mean max_rounds?` */
export function noSuchKey(path: string): string {
  const near = nearestPath(path.split("."));
  return `${path} is no configuration key. ${near === null ? "config list shows them." : `Did you mean ${near}?`}`;
}

/** The keys that the schema knows at a path; none where it takes any or knows none. */
function keysAt(path: readonly (string | number)[]): readonly string[] {
  const start: readonly z.ZodType[] = alternatives(Config);
  const there = path.reduce((schemas, step) => schemas.flatMap((each) => below(each, step)), start);
  return there.flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []));
}

function below(schema: z.ZodType, step: string | number): readonly z.ZodType[] {
  if (schema instanceof z.ZodArray) return alternatives(schema.element as z.ZodType);
  if (schema instanceof z.ZodRecord) return alternatives(schema.valueType as z.ZodType);
  const isKnown = schema instanceof z.ZodObject && Object.hasOwn(schema.shape, step);
  return isKnown ? alternatives(schema.shape[step] as z.ZodType) : [];
}

function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  const inner = unwrap(schema);
  return inner instanceof z.ZodUnion ? (inner.options as readonly z.ZodType[]) : [inner];
}

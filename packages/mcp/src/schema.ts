import type { JsonSchema } from "@smith/contract/tool";

/*
 * A server's JSON schema → one that model endpoints take. What they refuse is repaired where that only loosens the schema:
 * the server checks its arguments itself. Where nothing sensible is left, the reason is returned instead.
 */

type Json = Readonly<Record<string, unknown>>;

/** Levels that are kept; what lies deeper may be anything. */
const MAX_DEPTH = 12;
/** Characters of a schema; above them the descriptions inside go, and if that does not help the tool. */
const MAX_CHARS = 16_000;
/** What some endpoint refuses as the name of an argument. */
const ARGUMENT = /^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** Types that exist elsewhere, and what was meant. */
const MEANT: ReadonlyMap<unknown, string> = new Map([
  ...["int", "long"].map((name) => [name, "integer"] as const),
  ...["float", "double", "decimal"].map((name) => [name, "number"] as const),
  ...["str", "text"].map((name) => [name, "string"] as const),
  ...["dict", "map"].map((name) => [name, "object"] as const),
  ...([
    ["bool", "boolean"],
    ["list", "array"],
    ["none", "null"],
  ] as const),
]);

/** Keywords that hold one schema, a list of them, or a map of them. */
const ONE = new Set(["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"]);
const LIST = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const MAP = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords that say nothing to a model, or name a dialect that an endpoint may not know. */
const DROPPED = new Set([
  "$schema",
  "$id",
  "id",
  "$comment",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "$vocabulary",
]);
/** What endpoints refuse beside `properties` at the top. */
const COMBINED = ["allOf", "anyOf", "oneOf"] as const;
const NOT_AT_TOP = new Set<string>([...COMBINED, "not", "if", "then", "else", "enum", "const", "dependentSchemas"]);

export type Repaired = { readonly schema: JsonSchema } | { readonly refused: string };

export function repairSchema(given: unknown): Repaired {
  if (given === undefined || given === null) return { schema: { type: "object", properties: {} } };
  if (!isObject(given)) return { refused: "its schema is no object" };
  const root = resolveRoot(given);
  const type = Array.isArray(root["type"]) && root["type"].includes("object") ? "object" : root["type"];
  if (type !== undefined && type !== "object" && MEANT.get(type) !== "object") {
    return { refused: `its arguments are no object but ${JSON.stringify(type)}` };
  }
  const flat = withoutCombinations(root);
  const unfit = unfitArguments(flat);
  if (unfit.required.length > 0) {
    return {
      refused: `an argument that must be given has a name that endpoints refuse: ${JSON.stringify(unfit.required[0])}`,
    };
  }
  return sized(repairObject(flat, given));
}

function sized(schema: Json): Repaired {
  try {
    if (JSON.stringify(schema).length <= MAX_CHARS) return { schema };
    const bare = withoutDescriptions(schema) as Json;
    if (JSON.stringify(bare).length <= MAX_CHARS) return { schema: bare };
  } catch {
    return { refused: "its schema is nested too deep" }; // beyond the stack, in a keyword that is no schema
  }
  return { refused: `its schema has more than ${MAX_CHARS} characters` };
}

/** A schema that is only a pointer to one of its own definitions. */
function resolveRoot(given: Json): Json {
  const target = typeof given["$ref"] === "string" ? pointed(given["$ref"], given) : undefined;
  return isObject(target) ? { ...given, ...target, $ref: undefined } : given;
}

/** `anyOf`, `oneOf` and `allOf` at the top: all their arguments side by side, and only those needed that all of them need. */
function withoutCombinations(root: Json): Json {
  const base = Object.fromEntries(Object.entries(root).filter(([key]) => !NOT_AT_TOP.has(key)));
  const variants = COMBINED.map((keyword) => {
    const given = root[keyword];
    return { keyword, schemas: isFilled(given) ? given.filter(isObject) : [] };
  });
  const all = variants.flatMap(({ schemas }) => schemas);
  if (all.length === 0) return base;
  const properties = [...all, base].map((each) => each["properties"]).filter(isObject);
  return {
    ...base,
    properties: Object.fromEntries(properties.flatMap((each) => Object.entries(each))),
    required: [...strings(base["required"]), ...variants.flatMap(neededOf)],
  };
}

function neededOf({
  keyword,
  schemas,
}: {
  readonly keyword: string;
  readonly schemas: readonly Json[];
}): readonly string[] {
  const [first = [], ...others] = schemas.map((each) => strings(each["required"]));
  if (keyword === "allOf") return [first, ...others].flat();
  return first.filter((name) => others.every((each) => each.includes(name)));
}

function unfitArguments(root: Json): { readonly required: readonly string[] } {
  const names = Object.keys(isObject(root["properties"]) ? root["properties"] : {}).filter(
    (name) => !ARGUMENT.test(name),
  );
  return { required: names.filter((name) => strings(root["required"]).includes(name)) };
}

function repairObject(root: Json, whole: Json): Json {
  const properties = isObject(root["properties"]) ? root["properties"] : {};
  const fit = Object.fromEntries(Object.entries(properties).filter(([name]) => ARGUMENT.test(name)));
  return { ...repair({ ...root, properties: fit, type: "object" }, whole, 0), type: "object" };
}

function repair(schema: Json, whole: Json, depth: number): Json {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (DROPPED.has(key) || value === undefined) return [];
    const kept = repairKeyword(key, value, { schema, whole, depth });
    return kept === undefined ? [] : [[key, kept]];
  });
  const repaired = Object.fromEntries(entries);
  const isArray =
    repaired["type"] === "array" || (Array.isArray(repaired["type"]) && repaired["type"].includes("array"));
  return isArray && repaired["items"] === undefined ? { ...repaired, items: {} } : repaired;
}

interface Around {
  readonly schema: Json;
  readonly whole: Json;
  readonly depth: number;
}

/** A keyword's value, repaired; undefined: it goes. */
function repairKeyword(key: string, value: unknown, around: Around): unknown {
  if (ONE.has(key)) return Array.isArray(value) ? {} : repairInner(key, value, around);
  if (LIST.has(key)) return isFilled(value) ? value.map((each) => repairInner(key, each, around)) : undefined;
  if (MAP.has(key)) return isObject(value) ? mapValues(value, (each) => repairInner(key, each, around)) : undefined;
  const mend = Object.hasOwn(PLAIN, key) ? PLAIN[key] : undefined;
  return mend === undefined ? value : mend(value, around);
}

/** A schema inside another. `true` and `false` are schemas, too, but not every endpoint knows. */
function repairInner(key: string, value: unknown, { whole, depth }: Around): unknown {
  if (typeof value === "boolean") return key === "additionalProperties" ? value : {};
  return isObject(value) && depth < MAX_DEPTH ? repair(value, whole, depth + 1) : {};
}

/** Keywords that hold no schema. */
const PLAIN: Readonly<Record<string, (value: unknown, around: Around) => unknown>> = {
  $ref: (value, { whole }) => (typeof value === "string" && pointed(value, whole) !== undefined ? value : undefined),
  type: repairType,
  required: (value, { schema }) => requiredOf(value, schema),
  enum: (value) => (isFilled(value) ? value : undefined),
  pattern: (value) => (isPattern(value) ? value : undefined),
  description: textOnly,
  title: textOnly,
};

function textOnly(value: unknown): string | undefined {
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

const isFilled = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

function repairType(value: unknown): unknown {
  const known = (Array.isArray(value) ? value : [value])
    .map((each) => (typeof each === "string" ? each.toLowerCase() : null))
    .map((name) => MEANT.get(name) ?? name)
    .filter((name) => name !== null && TYPES.includes(name));
  return known.length <= 1 ? known[0] : known;
}

/** Older dialects write `required: true` beside the argument; endpoints want a list of those that exist. */
function requiredOf(value: unknown, { properties }: Json): readonly string[] | undefined {
  const names = strings(value).filter((name) => isObject(properties) && Object.hasOwn(properties, name));
  return names.length === 0 ? undefined : [...new Set(names)];
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false; // of another dialect: without it the schema is only looser
  }
}

/** What `#/$defs/x` points to; undefined for another document, or for nothing. */
function pointed(reference: string, whole: Json): unknown {
  if (!/^#\/(?:\$defs|definitions)\//.test(reference)) return undefined;
  return reference
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), whole);
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !(DESCRIBES.has(key) && typeof inner === "string"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}

const DESCRIBES = new Set(["description", "title", "examples", "default"]);

const mapValues = (map: Json, change: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

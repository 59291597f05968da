/** Plain data of a configuration layer. */
export type Layer = { readonly [key: string]: unknown };

export const isLayer = (value: unknown): value is Layer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys that would reach an object's prototype; no layer may hold them. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * `over` on top of `under`: objects merge key by key, everything else, arrays too, replaces; null takes the
 * key away. Neither is changed.
 */
export function deepMerge(under: Layer, over: Layer): Layer {
  const merged: Record<string, unknown> = Object.assign(Object.create(null), under);
  for (const [key, value] of Object.entries(over)) {
    if (FORBIDDEN_KEYS.has(key)) continue;
    const below = merged[key];
    if (value === null)
      delete merged[key]; // `--set PATH=null` unsets what is below
    else merged[key] = isLayer(value) ? deepMerge(isLayer(below) ? below : {}, value) : value;
  }
  return { ...merged };
}

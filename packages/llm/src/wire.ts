/** JSON objects as they come from an endpoint: nothing in them can be relied on. */
export type WireObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is WireObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The string that a field holds, or `""`: absent, null and wrong types are one to us. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value that a JSON text stands for, or `undefined` when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // JSON has no undefined, so the caller can tell
  }
}

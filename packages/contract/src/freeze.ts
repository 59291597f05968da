/**
 * Freezes plain data (objects and arrays) all the way down. Anything else, such as a database handle or a signal, is left
 * alone: freezing what it closes over would break it.
 */
export function deepFreeze<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, unknown>)[key]);
  return value;
}

const isPlain = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
};

/** A frozen copy: the original stays writable. For plain data only. */
export const snapshot = <T extends object>(data: T): Readonly<T> => deepFreeze(structuredClone(data));

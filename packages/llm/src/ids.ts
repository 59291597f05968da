/**
 * A call's id as an endpoint accepts it. Ids come from any provider and may hold what another refuses; the same id gives
 * the same text, other ids others.
 */
export function fitId(id: string, maxLength: number): string {
  const plain = id.replace(/[^a-zA-Z0-9_-]/gu, (mark) => `_${mark.codePointAt(0)?.toString(16) ?? ""}`);
  if (plain.length <= maxLength) return plain;
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256").update(id).digest("hex").slice(0, 16);
  return `${plain.slice(0, maxLength - hash.length - 1)}_${hash}`;
}

/** A tool's name as endpoints accept it; a model may have made it up. */
export const fitName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, 64) || "unnamed";

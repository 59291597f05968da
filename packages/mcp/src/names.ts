import { createHash } from "node:crypto";

/** What every model endpoint takes as the name of a tool. */
const MAX_CHARS = 64;
const SUFFIX_CHARS = 6;

/**
 * `mcp__<server>__<tool>`. A name that no endpoint would take, or that could be read as another server's, is made fit and
 * ends in six hex digits of what it was made of: always the same, whatever else there is.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (isPlainServer(server) && /^[A-Za-z0-9_-]+$/.test(tool) && plain.length <= MAX_CHARS) return plain;
  const hash = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, SUFFIX_CHARS);
  const fit = `mcp__${legal(server).slice(0, 24)}__${legal(tool)}`;
  return `${fit.slice(0, MAX_CHARS - SUFFIX_CHARS - 1)}_${hash}`;
}

/** The first `__` after the prefix ends the server's name. */
const isPlainServer = (name: string): boolean => /^[A-Za-z0-9_-]+$/.test(name) && !/__|_$/.test(name);

const legal = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_");

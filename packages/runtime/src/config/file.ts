import { readFile } from "node:fs/promises";
import { AgentError } from "@smith/contract/error";
import { checkLayer, type Issue } from "./check.ts";
import { isLayer, type Layer } from "./merge.ts";

/** A configuration file as read: its data, and its text for messages that point into it. */
export interface ConfigFile {
  readonly path: string;
  readonly layer: Layer;
  readonly text: string;
}

/**
 * Reads a configuration file: JSON, comments and trailing commas allowed. Null when it does not exist.
 * @throws {AgentError} `schema`/`config` naming file, line, column, the value and the mend.
 */
export async function readConfigFile(path: string): Promise<ConfigFile | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw configError(`${path}: can't be read (${code}). It must be a readable file.`);
  }
  if (text.startsWith("\uFEFF")) text = text.slice(1);
  const layer = await parse(path, text);
  if (!isLayer(layer))
    throw configError(`${path}:1:1: expected an object { … }, got ${text.trim().slice(0, 40) || "nothing"}.`);
  const issues = checkLayer(layer);
  if (issues.length > 0) throw configError(await describe(path, text, issues));
  return { path, layer, text };
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // comments, a trailing comma, or broken: the lenient parser tells which, and where
  }
  const { parse: parseJsonc, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first === undefined) return value;
  const found = text.slice(first.offset, first.offset + Math.max(first.length, 1)).split("\n")[0] || "end of file";
  throw configError(
    `${path}:${position(text, first.offset)}: ${words(printParseErrorCode(first.error))} at ${JSON.stringify(found)}. Mend the JSON there.`,
  );
}

/** `PropertyNameExpected` → `property name expected`. */
const words = (code: string): string => code.replace(/(?!^)([A-Z])/g, " $1").toLowerCase();

/** `line:column` of an offset, both from 1. */
function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

async function describe(path: string, text: string, issues: readonly Issue[]): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const lines = issues.map((issue) => {
    const node = tree && findNodeAtLocation(tree, [...issue.path]);
    const at = issue.on === "key" ? (node?.parent ?? node) : node;
    return `${path}:${position(text, at?.offset ?? 0)}: ${issue.message}`;
  });
  return lines.join("\n");
}

export const configError = (message: string): AgentError =>
  new AgentError({ kind: "schema", code: "config", origin: "runtime/config", message });

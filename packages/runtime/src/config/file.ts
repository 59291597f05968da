import { readFile, stat } from "node:fs/promises";
import { AgentError } from "@smith/contract/error";
import type { Node } from "jsonc-parser";
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
  const text = await readText(path);
  return text === null ? null : await understand(path, text);
}

async function understand(path: string, text: string): Promise<ConfigFile> {
  try {
    return await check(path, text);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw configError(`${path}: it is nested too deeply to be a configuration. Mend it, or move it away.`);
  }
}

async function check(path: string, text: string): Promise<ConfigFile> {
  const layer = await parse(path, text);
  if (!isLayer(layer))
    throw configError(`${path}:1:1: expected an object { … }, got ${text.trim().slice(0, 40) || "nothing"}.`);
  const issues = checkLayer(layer);
  if (issues.length > 0) throw configError(await describe({ path, text }, issues));
  return { path, layer, text };
}

/** The text without a byte-order mark; null when there is no such file. Anything but a regular file is refused unread. */
async function readText(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    if (!found.isFile())
      throw configError(
        `${path}: expected a regular file, found ${found.isDirectory() ? "a folder" : "something else"}. Move it away.`,
      );
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw configError(`${path}: can't be read (${code}). Make it readable, or move it away.`);
  }
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // comments, a trailing comma, or broken: the lenient parser tells which, and where
  }
  const { getNodeValue, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  // By way of the tree: the parser's own values would lose a `__proto__` key instead of showing it.
  if (first === undefined) return tree === undefined ? undefined : getNodeValue(tree);
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

/** What is wrong with a file, each with its place. */
export async function describe(
  { path, text }: Pick<ConfigFile, "path" | "text">,
  issues: readonly Issue[],
): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const lines = issues.map((issue) => {
    // What is missing has no place of its own: its parent's is told.
    const upwards = issue.path.map((_, up) => issue.path.slice(0, issue.path.length - up));
    const node = upwards.reduce<Node | undefined>(
      (found, place) => found ?? (tree && findNodeAtLocation(tree, [...place])),
      undefined,
    );
    const at = issue.on === "key" ? (node?.parent ?? node) : node;
    return `${path}:${position(text, at?.offset ?? 0)}: ${issue.message}`;
  });
  return lines.join("\n");
}

/** The line, from 1, on which a path's value stands in the file; null when it does not. */
export async function lineOf({ text }: ConfigFile, path: string): Promise<number | null> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree && findNodeAtLocation(tree, path.split("."));
  return node === undefined ? null : text.slice(0, node.offset).split("\n").length;
}

export const configError = (message: string): AgentError =>
  new AgentError({ kind: "schema", code: "config", origin: "runtime/config", message });

import type { PluginError } from "./plugin.ts";

/** Why an entry can't be had; caught where entries are loaded, and listed. */
export class PluginFault extends Error {
  readonly data: PluginError;

  constructor(data: PluginError) {
    super(data.message);
    this.name = "PluginFault";
    this.data = data;
  }
}

export const createFault = (code: string, entry: string, why = ""): PluginFault =>
  new PluginFault({ entry, code, message: `${code}: ${entry}${why === "" ? "" : `: ${why}`}` });

/** What was thrown, in one line: plugins throw whatever they like. */
export function lineOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : safeString(thrown);
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line || "nothing that says why";
}

function safeString(value: unknown): string {
  try {
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  } catch {
    return `a ${typeof value} that can't be shown`;
  }
}

import type { ModelRow } from "@smith/contract/command";
import { type Command, misuse } from "./command.ts";

/** `/models` and `smith models`. */
export const models: Command = {
  name: "models",
  summary: "the models of every provider, with context window and price",
  usage: ["[--refresh] [--json]"],
  example: "models --refresh",
  doors: ["slash", "cli"],
  flags: [
    { name: "refresh", description: "ask every provider now (else once a day)" },
    { name: "json", description: "as JSON" },
  ],
  async run({ words, flags }, host) {
    if (words.length > 0) return misuse(models);
    const { models: rows, notes, ok } = await host.models.list(flags["refresh"] === true);
    const text = [...table(rows), ...notes].join("\n");
    return ok ? { say: text, data: rows } : { say: text, ok };
  },
};

function table(rows: readonly ModelRow[]): readonly string[] {
  const names = rows.map(({ provider, id }) => `${provider}:${id}`);
  const width = Math.max(0, ...names.map((name) => name.length));
  return rows.map((row, at) => {
    const cells = [windowText(row.context_window), row.loaded === true ? "[loaded]" : "", price(row)];
    return `${(names[at] ?? "").padEnd(width)}  ${cells.filter((cell) => cell !== "").join("  ")}`;
  });
}

const windowText = (tokens: number | null): string =>
  (tokens === null
    ? "?"
    : tokens >= 1_000_000
      ? `${+(tokens / 1e6).toFixed(1)}M`
      : `${Math.round(tokens / 1000)}k`
  ).padStart(6);

function price({ input_per_mtok: input, output_per_mtok: output }: ModelRow): string {
  if (input === null || output === null) return "unpriced";
  return input === 0 && output === 0 ? "free" : `$${input} in, $${output} out per million tokens`;
}

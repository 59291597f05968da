import type { ModelRow } from "@smith/contract/catalog";
import type { Command } from "./command.ts";

/** `/models` and `smith models`. */
export const models: Command = {
  name: "models",
  summary: "the models of every provider, with context window and price",
  usage: ["[WORD…] [--refresh] [--json]"],
  example: "models claude",
  doors: ["slash", "cli"],
  flags: [
    { name: "refresh", description: "ask every provider now (else once a day)" },
    { name: "json", description: "as JSON" },
  ],
  async run({ words, flags, typed }, host) {
    const { models: all, notes, faults, ok } = await host.models.list(flags["refresh"] === true);
    const wanted = words.map((word) => word.toLowerCase());
    const rows = all.filter((row) => wanted.every((word) => nameOf(row).toLowerCase().includes(word)));
    const most = typed === undefined ? rows.length : SHELL_ROWS;
    const text = [...table(rows.slice(0, most)), ...counted(rows.length, all.length, most), ...notes].join("\n");
    return ok ? { say: text, data: rows, notes: faults } : { say: text, ok };
  },
};

/** Rows that a shell shows: more would push what was said out of sight. Elsewhere the output may be read by a program. */
const SHELL_ROWS = 40;

const nameOf = ({ provider, id }: ModelRow): string => `${provider}:${id}`;

function counted(found: number, all: number, most: number): readonly string[] {
  if (found === 0 && all > 0) return [`none of ${all} models has all these words in its name`];
  if (found > most)
    return [`[${found - most} more of ${found}; narrow them with words of their names, as /models claude]`];
  return found < all ? [`${found} of ${all} models`] : [];
}

function table(rows: readonly ModelRow[]): readonly string[] {
  const names = rows.map(nameOf);
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

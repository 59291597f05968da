import type { Price } from "@smith/contract/catalog";
import type { CommandAnswer } from "@smith/contract/command";
import type { Usage } from "@smith/contract/model";
import type { UsageRow } from "@smith/contract/store";
import { type Command, misuse, say } from "./command.ts";

/** `/cost`. */
export const cost: Command = {
  name: "cost",
  summary: "what this session has used and cost",
  usage: [""],
  example: "cost",
  doors: ["slash"],
  async run({ words }, host) {
    if (words.length > 0) return misuse(cost);
    const session = host.usage.session();
    const { requests, usage, children, model, price } = session;
    const jobs = Object.entries(children).map(
      ([role, { jobs: count, ...used }]) => `${role}: ${plural(count, "job")} · ${figures(used)}`,
    );
    const rate = model === null ? [] : [`${model}: ${priceText(price)}`];
    return say([`${plural(requests, "request")} · ${figures(usage)}`, ...jobs, ...rate].join("\n"), session);
  },
};

/** `/tokens`. */
export const tokens: Command = {
  name: "tokens",
  summary: "the tokens of this session, by role",
  usage: [""],
  example: "tokens",
  doors: ["slash"],
  async run({ words }, host) {
    if (words.length > 0) return misuse(tokens);
    const { usage, children } = host.usage.session();
    const rows = [
      { role: host.session.role(), ...usage },
      ...Object.entries(children).map(([role, used]) => ({ role, ...used })),
    ];
    const width = Math.max(...rows.map(({ role }) => role.length));
    return say(rows.map(({ role, ...used }) => `${role.padEnd(width)}  ${counts(used)}`).join("\n"), rows);
  },
};

const GROUPS = ["day", "role", "model", "conversation"] as const;
type Group = (typeof GROUPS)[number];
const DAY_MS = 24 * 60 * 60 * 1000;

/** `/usage`. */
export const usage: Command = {
  name: "usage",
  summary: "what turns have used and cost, by day, role, model or conversation",
  usage: ["[--by day|role|model|conversation] [--days N] [--all]"],
  example: "usage --by role --days 7",
  doors: ["slash"],
  flags: [
    { name: "by", value: "GROUP", description: "one table only: day, role, model or conversation" },
    { name: "days", value: "N", description: "of the last N days, today included (30)" },
    { name: "all", description: "of every project" },
  ],
  async run({ words, flags }, host) {
    const { by, days: text = "30", all } = flags;
    const days = Number(text);
    const groups = by === undefined ? GROUPS.slice(0, 3) : GROUPS.filter((group) => group === by);
    if (words.length > 0 || groups.length === 0 || !(Number.isInteger(days) && days > 0)) return misuse(usage);
    const rows = await host.usage.list({
      all: all === true,
      since: startOfDay(host.usage.now()) - (days - 1) * DAY_MS,
    });
    return tables(rows, groups, `${all === true ? "every project" : "this project"}, last ${plural(days, "day")}`);
  },
};

const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** What a group of turns used. */
interface Sum extends Usage {
  readonly name: string;
  readonly turns: number;
  /** Turns whose cost is not known; they are not in `cost_usd`. */
  readonly unpriced_turns: number;
}

function tables(rows: readonly UsageRow[], groups: readonly Group[], scope: string): CommandAnswer {
  const data = Object.fromEntries(groups.map((group) => [`by_${group}`, sumsBy(rows, group)]));
  if (rows.length === 0) return say(`Nothing was used (${scope}).`, data);
  const texts = groups.map((group) => {
    const sums = sumsBy(rows, group);
    const width = Math.max(...sums.map(({ name }) => name.length));
    return [`by ${group} (${scope})`, ...sums.map((sum) => `  ${sum.name.padEnd(width)}  ${sumText(sum)}`)].join("\n");
  });
  return say(texts.join("\n"), data);
}

function sumText(sum: Sum): string {
  const unpriced = sum.unpriced_turns > 0 && sum.cost_usd !== null ? ` + ${sum.unpriced_turns} unpriced` : "";
  return `${plural(sum.turns, "turn")} · ${figures(sum)}${unpriced}`;
}

/** In the order in which each group was first met, so days go up. */
function sumsBy(rows: readonly UsageRow[], group: Group): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const name = NAME_OF[group](row);
    sums.set(name, added(sums.get(name) ?? { name, turns: 0, unpriced_turns: 0, ...NOTHING }, row.usage));
  }
  return [...sums.values()];
}

const NOTHING: Usage = {
  ...{ input_tokens: null, output_tokens: null, cached_tokens: null, reasoning_tokens: null, cost_usd: null },
};

const NAME_OF: Readonly<Record<Group, (row: UsageRow) => string>> = {
  // Swedish dates are ISO dates; the day is the user's own.
  day: ({ ts }) => new Date(ts).toLocaleDateString("sv-SE"),
  role: ({ role }) => role,
  model: ({ provider, model }) => `${provider}:${model}`,
  conversation: ({ conversation_id }) => conversation_id,
};

function added(sum: Sum, more: Usage): Sum {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  const cost_usd = add(sum.cost_usd, more.cost_usd);
  return {
    name: sum.name,
    turns: sum.turns + 1,
    unpriced_turns: sum.unpriced_turns + (more.cost_usd === null ? 1 : 0),
    input_tokens: add(sum.input_tokens, more.input_tokens),
    output_tokens: add(sum.output_tokens, more.output_tokens),
    cached_tokens: add(sum.cached_tokens, more.cached_tokens),
    reasoning_tokens: add(sum.reasoning_tokens, more.reasoning_tokens),
    cost_usd: cost_usd === null ? null : Number(cost_usd.toPrecision(12)),
  };
}

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;

/** `input 1,234 · output 56 · cached 78 · $0.0123`; what is not known is `?`, what is 0 of the rest is left out. */
const figures = (used: Usage): string =>
  `${counts(used)} · ${used.cost_usd === null ? "unpriced" : dollars(used.cost_usd)}`;

function counts({ input_tokens, output_tokens, cached_tokens, reasoning_tokens }: Usage): string {
  const count = (n: number | null) => (n === null ? "?" : n.toLocaleString("en-US"));
  return [
    `input ${count(input_tokens)}`,
    `output ${count(output_tokens)}`,
    ...((cached_tokens ?? 0) > 0 ? [`cached ${count(cached_tokens)}`] : []),
    ...((reasoning_tokens ?? 0) > 0 ? [`reasoning ${count(reasoning_tokens)}`] : []),
  ].join(" · ");
}

/** Four digits behind the point: turns cost fractions of a cent. */
const dollars = (amount: number): string => (amount === 0 ? "free" : `$${amount.toFixed(4)}`);

/** `$3 in, $15 out, $0.3 cached per million tokens`, `free` or `unpriced`. */
export function priceText(price: Price | null): string {
  if (price === null) return "unpriced";
  const { input_per_mtok: input, output_per_mtok: output, cache_read_per_mtok: cached } = price;
  if (input === 0 && output === 0) return "free";
  return `$${input} in, $${output} out${cached === null ? "" : `, $${cached} cached`} per million tokens`;
}

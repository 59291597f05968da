import { UNKNOWN_USAGE, type Usage } from "@smith/contract/model";

/**
 * Adds up what is known: a count stays null as long as nothing told it. A cost with an unpriced part is not known: what
 * is left would pass for the whole.
 */
export function addUsage(total: Usage, more: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  const cost = total.cost_usd === null || more.cost_usd === null ? null : total.cost_usd + more.cost_usd;
  return {
    input_tokens: add(total.input_tokens, more.input_tokens),
    output_tokens: add(total.output_tokens, more.output_tokens),
    cached_tokens: add(total.cached_tokens, more.cached_tokens),
    reasoning_tokens: add(total.reasoning_tokens, more.reasoning_tokens),
    cost_usd: cost === null ? null : Number(cost.toPrecision(12)), // without the noise of binary fractions
  };
}

/** Token totals of a session or a turn: the parent's own, and per child role beside them. */
export interface UsageTracker {
  /** `requests`: how many answers it is of, default 1; of none it counts for nothing. */
  add(usage: Usage, requests?: number): void;
  /** Counts a finished job of a child role. */
  addChild(role: string, usage: Usage): void;
  /** Answers that were counted, without the jobs'. */
  requests(): number;
  total(): Usage;
  children(): Readonly<Record<string, Usage & { readonly jobs: number }>>;
}

export function createUsage(): UsageTracker {
  let own: Usage | null = null;
  let requests = 0;
  const children = new Map<string, Usage & { jobs: number }>();
  return Object.freeze({
    add(usage: Usage, count = 1) {
      if (count === 0) return;
      requests += count;
      own = own === null ? usage : addUsage(own, usage);
    },
    addChild(role: string, usage: Usage) {
      const before = children.get(role);
      const total = before === undefined ? usage : addUsage(before, usage);
      children.set(role, { ...total, jobs: (before?.jobs ?? 0) + 1 });
    },
    requests: () => requests,
    total: () => own ?? UNKNOWN_USAGE,
    children: () => Object.fromEntries(children),
  });
}

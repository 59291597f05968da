import { UNKNOWN_USAGE, type Usage } from "@smith/contract/model";

/** Adds up what is known; a number stays null as long as no request told it. */
export function addUsage(total: Usage, more: Usage): Usage {
  const add = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input_tokens: add(total.input_tokens, more.input_tokens),
    output_tokens: add(total.output_tokens, more.output_tokens),
    cached_tokens: add(total.cached_tokens, more.cached_tokens),
    reasoning_tokens: add(total.reasoning_tokens, more.reasoning_tokens),
    cost_usd: add(total.cost_usd, more.cost_usd),
  };
}

/** Token totals of a session or a turn: the parent's own, and per child role beside them. */
export interface UsageTracker {
  add(usage: Usage): void;
  /** Counts a finished job of a child role. */
  addChild(role: string, usage: Usage): void;
  total(): Usage;
  children(): Readonly<Record<string, Usage & { readonly jobs: number }>>;
}

export function createUsage(): UsageTracker {
  let own: Usage = UNKNOWN_USAGE;
  const children = new Map<string, Usage & { jobs: number }>();
  return Object.freeze({
    add(usage: Usage) {
      own = addUsage(own, usage);
    },
    addChild(role: string, usage: Usage) {
      const before = children.get(role) ?? { ...UNKNOWN_USAGE, jobs: 0 };
      children.set(role, { ...addUsage(before, usage), jobs: before.jobs + 1 });
    },
    total: () => own,
    children: () => Object.fromEntries(children),
  });
}

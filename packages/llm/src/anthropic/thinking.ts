import type { ChatRequest } from "@smith/contract/model";

/** Tokens of thought. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const;
/** A smaller one is refused. */
const LEAST_BUDGET = 1024;
/** Tokens that are left for the answer itself, where a budget would take all of `max_tokens`; of a small model half. */
const ANSWER_TOKENS = 4096;
const MAX_TOKENS = 16_384;

type Settings = Pick<ChatRequest, "model" | "max_tokens" | "temperature" | "effort">;

/**
 * The settings of a request that hang together: a thinking budget must be below `max_tokens`, and leaves no temperature.
 * `mayThink` false: thought can't be asked for in the middle of this conversation. `mostTokens`: what the model can answer
 * at most; null: nobody says. A model without room for the smallest budget is asked for no thought.
 */
export function settingsOf(
  request: Settings,
  mayThink: boolean,
  mostTokens: number | null = null,
): Readonly<Record<string, unknown>> {
  const { model, effort, temperature, max_tokens = Math.min(MAX_TOKENS, mostTokens ?? MAX_TOKENS) } = request;
  if (isAdaptive(model)) {
    if (effort === undefined || !mayThink) return { max_tokens };
    return { max_tokens, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  }
  if (effort === undefined || !mayThink)
    return temperature === undefined ? { max_tokens } : { max_tokens, temperature };
  const { room, budget } = roomFor(BUDGETS[effort], max_tokens, mostTokens);
  if (budget >= room) return temperature === undefined ? { max_tokens } : { max_tokens, temperature };
  return { max_tokens: room, thinking: { type: "enabled", budget_tokens: budget } };
}

/** A budget and the tokens it is a part of: as wanted where the model has the room, else as much as leaves it an answer. */
function roomFor(wanted: number, maxTokens: number, mostTokens: number | null) {
  if (maxTokens > wanted) return { room: maxTokens, budget: wanted };
  const room = Math.min(wanted + ANSWER_TOKENS, Math.max(maxTokens, mostTokens ?? Number.POSITIVE_INFINITY));
  const answer = Math.min(ANSWER_TOKENS, Math.floor(room / 2));
  return { room, budget: Math.min(wanted, Math.max(LEAST_BUDGET, room - answer)) };
}

/** Models from Claude 4.7 on take neither a budget nor a temperature: they weigh their thought by the effort alone. */
export function isAdaptive(model: string): boolean {
  if (!/claude/i.test(model)) return false;
  if (/mythos/i.test(model)) return true;
  const [, major = "0", minor = "0"] = /(?:^|[^\d])(\d{1,2})(?:[.-](\d{1,2})(?!\d))?(?!\d)/.exec(model) ?? [];
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 7);
}

import type { ModelChoice } from "@smith/runtime";

const SAFETY =
  "Smith runs what the model asks for, bash too, and nothing guards it: use it where you can afford a mistake. /mode ask asks before each call with side effects, /mode plan makes none.";

const SET_ONE =
  "One command sets a model: /config set llm_config.api_url http://127.0.0.1:8080/v1 (any OpenAI-compatible address). A key in ANTHROPIC_API_KEY or OPENAI_API_KEY does, too.";

const SET_ANOTHER = "One command sets another model: /config set default_model ID. /models lists those there are.";

/** What a user is told at the first start, once in each home, below which model answers and why. */
export const welcome = (model: Pick<ModelChoice, "endpoints"> | null): readonly string[] => [
  SAFETY,
  model === null || model.endpoints.length === 0 ? SET_ONE : SET_ANOTHER,
];

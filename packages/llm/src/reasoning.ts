/**
 * Models of OpenAI that think before they answer (o1, o3, o4-mini, gpt-5…, also behind a gateway's prefix): they refuse a
 * temperature, and count their thought in the limit of tokens.
 */
export const isReasoningModel = (model: string): boolean =>
  /(?:^|\/)(?:o[1-9]|gpt-(?:[5-9]|[1-9]\d))(?![\da-z])/i.test(model);

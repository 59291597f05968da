import type { Addressing } from "../endpoint.ts";

export const ANTHROPIC_URL = "https://api.anthropic.com";

export const ANTHROPIC_HEADERS = Object.freeze({ "anthropic-version": "2023-06-01" });

export const ANTHROPIC_ADDRESS: Addressing = Object.freeze({
  origin: "llm/anthropic",
  path: "/v1/messages",
  base_end: /\/v1$/,
  auth: (key: string) => ({ "x-api-key": key }),
});

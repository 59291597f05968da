import type { FarEnd } from "./errors.ts";
import { mask } from "./secrets.ts";

/** Foreign text made fit to print: no control or invisible characters, no key, at most `limit` characters. */
export function cleanText(far: FarEnd, text: string, limit: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\s]+/gu, " ").trim();
  const masked = mask(plain, far.secrets, () => "***");
  return masked.length <= limit ? masked : `${masked.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** What was thrown may hold the request that it was about. */
export function cleanCause({ secrets }: FarEnd, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const message = mask(cause.message, secrets, () => "***");
  return message === cause.message ? cause : new Error(message);
}

import { z } from "zod";
import type { Inbound } from "./platform.ts";

const ID_CHARS = 256;
const id = z.union([z.string(), z.int()]).transform(String).pipe(z.string().min(1).max(ID_CHARS));

/** `platform` and whatever else a body holds is not looked at: what comes in here is the webhook's. */
const Body = z.object({
  text: z.string().refine((text) => text.trim() !== ""),
  chat_id: id.default("default"),
  user_id: id.default("anonymous"),
  message_id: id.nullable().default(null),
});

/** The message of a body, or why there is none. */
export function bodyOf(bytes: Uint8Array): { readonly message: Inbound } | { readonly error: string } {
  const json = jsonOf(bytes);
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return { error: 'expected a JSON object in UTF-8, as {"text": "hello"}' };
  }
  const parsed = Body.safeParse(json);
  if (parsed.success) return { message: { platform: "webhook", ...parsed.data } };
  const field = String(parsed.error.issues[0]?.path[0] ?? "");
  if (field === "text") return { error: "text is required" };
  return { error: `${field} is expected to be a text of 1 to ${ID_CHARS} characters` };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined; // no JSON, or no UTF-8
  }
}

import { z } from "zod";
import { refusal } from "../fault.ts";
import type { SearchBackend, SearchGround } from "./options.ts";

const ENDPOINT = "https://api.linkup.so/v1/search";

function replySchema() {
  const text = z.string().nullish();
  const hit = z.object({ name: text, title: text, url: z.string(), snippet: text, content: text });
  return z.object({ answer: text, sources: z.array(hit).nullish(), results: z.array(hit).nullish() });
}

/** Linkup: an answer with its sources, or a list, as `output_type` says. */
export const createLinkup =
  ({ config, key, ask }: SearchGround): SearchBackend =>
  async ({ query, max_results }) => {
    const outputType = config.output_type ?? "sourcedAnswer";
    const body = { q: query, depth: config.depth ?? "standard", outputType, maxResults: max_results };
    const reply = await ask({
      url: config.endpoint ?? ENDPOINT,
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
    });
    const { answer, sources, results } = parse(reply);
    const hits = (sources ?? results ?? []).map(({ name, title, url, snippet, content }) => ({
      title: name ?? title ?? url,
      url,
      snippet: (snippet ?? content ?? "").slice(0, 1000).toWellFormed(),
    }));
    return { answer: answer ?? null, hits };
  };

function parse(body: string) {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    json = undefined; // told below as what it is
  }
  const parsed = replySchema().safeParse(json);
  if (parsed.success) return parsed.data;
  throw refusal("search_failed", "linkup answered something that is no search result. Try again later.");
}

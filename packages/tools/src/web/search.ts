import { AgentError } from "@smith/contract/error";
import type { ToolContext, ToolOutcome } from "@smith/contract/tool";
import { refusal } from "../fault.ts";
import { createDuckDuckGo } from "./duckduckgo.ts";
import { exchange, parseUrl } from "./exchange.ts";
import { guardOf } from "./guard.ts";
import { createLinkup } from "./linkup.ts";
import { type SearchAnswer, type SearchBackend, type SearchGround, WEB_TIMEOUT_S, type WebOptions } from "./options.ts";
import { asData, cutTo } from "./show.ts";

/** Results where neither the call nor the configuration says how many; at most 20. */
const DEFAULT_RESULTS = 8;
const MAX_RESULTS = 20;
const MAX_BYTES = 2 << 20;
const MAX_CHARS = 18_000;

export async function searchWeb(
  args: { query: string; max_results?: number | undefined },
  { signal }: ToolContext,
  options: WebOptions,
): Promise<ToolOutcome> {
  const wanted = args.max_results ?? options.search_config?.max_results ?? DEFAULT_RESULTS;
  const max_results = Math.min(wanted, MAX_RESULTS);
  try {
    const backend = options.search ?? backendOf(options, signal);
    const found = await backend({ query: args.query, max_results, signal });
    const hits = found.hits.slice(0, max_results);
    return { ok: true, content: show({ ...found, hits }), metadata: { summary: `${hits.length} results` } };
  } catch (thrown) {
    // The edge of this package: a search that fails is an answer to the model, a cancel stays one.
    const { kind, code, message } = thrown instanceof AgentError ? thrown : refusal("search_failed", String(thrown));
    if (kind === "cancelled") return { ok: false, content: "", error: { kind, code, message } };
    return { ok: false, content: "", error: { kind, code: "search_failed", message: `search_failed: ${message}` } };
  }
}

function show({ answer, hits }: SearchAnswer): string {
  if (hits.length === 0 && answer === null) return "no results";
  const lines = hits.map(({ title, url, snippet }, at) =>
    [`${at + 1}. ${title}`, `   ${url}`, ...(snippet === "" ? [] : [`   ${snippet}`])].join("\n"),
  );
  const text = [...(answer === null ? [] : [answer, ""]), ...lines].join("\n");
  return asData(`${hits.length} results`, cutTo(text, MAX_CHARS, null));
}

function backendOf(options: WebOptions, signal: AbortSignal): SearchBackend {
  const config = options.search_config ?? {};
  const name = config.api_key_env ?? "LINKUP_API_KEY";
  const key = options.env[name] ?? "";
  const ground = { config, key, ask: asking(options, signal) };
  if ((config.backend ?? (key === "" ? "duckduckgo" : "linkup")) === "duckduckgo") {
    return createDuckDuckGo(ground);
  }
  if (key === "") {
    const mend = `Set it, or services.tool.web_search.backend = "duckduckgo", which needs no key.`;
    throw refusal("missing_key", `linkup needs a key in ${name}. ${mend}`);
  }
  return createLinkup(ground);
}

/** The service's address is the user's own setting: it may be a private one. It is not redirected: the key goes with it. */
const asking =
  (options: WebOptions, signal: AbortSignal): SearchGround["ask"] =>
  async ({ url, ...request }) => {
    const timeout_ms = (options.search_config?.timeout ?? options.timeout_s ?? WEB_TIMEOUT_S) * 1000;
    const open = guardOf({
      ...options,
      allow_private: options.search_config?.endpoint !== undefined || options.allow_private,
    });
    const limits = { follow: false, max_bytes: MAX_BYTES, timeout_ms, signal };
    const { status, body, url: shown } = await exchange({ url: parseUrl(url), ...request, ...limits }, open);
    if (status >= 200 && status < 300) return body.toString("utf8");
    const mend = status === 401 || status === 403 ? "Check the key." : "Try again later.";
    throw refusal("search_failed", `${shown.split("?")[0]} answered ${status}. ${mend}`);
  };

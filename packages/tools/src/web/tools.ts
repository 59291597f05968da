import type { AnyTool, Tool } from "@smith/contract/tool";
import { fetchPage } from "./fetch.ts";
import {
  FetchArguments,
  MAX_CHARS,
  RequestArguments,
  SearchArguments,
  WEB_TIMEOUT_S,
  type WebOptions,
} from "./options.ts";
import { requestHttp } from "./request.ts";
import { searchWeb } from "./search.ts";

/** The executor's deadline is a last resort: the tools keep their own time and say more when it is over. */
const SPARE_S = 5;
/** Beside the text: header, marks and notes. */
const FRAME_CHARS = 10_000;

/** web_search, web_fetch and http_request. Small enough to come with the start; what is heavy (TLS, zlib, the Markdown writer) they load when they run. */
export const createWebTools = (options: WebOptions): readonly AnyTool[] => {
  const fetchS = (options.timeout_s ?? WEB_TIMEOUT_S) + SPARE_S;
  const searchS = (options.search_config?.timeout ?? options.timeout_s ?? WEB_TIMEOUT_S) + SPARE_S;
  const search: Tool<SearchArguments> = {
    name: "web_search",
    description: "Search the web: numbered title, address, snippet.",
    schema: SearchArguments,
    side_effects: "none",
    deadlineS: () => searchS,
    run: async (args, context) => searchWeb(args, context, options),
  };
  const fetch: Tool<FetchArguments> = {
    name: "web_fetch",
    description: "Read a public web page as text; HTML becomes Markdown.",
    schema: FetchArguments,
    side_effects: "none",
    max_chars: MAX_CHARS + FRAME_CHARS,
    deadlineS: () => fetchS,
    run: async (args, context) => fetchPage(args, context, options),
  };
  const request: Tool<RequestArguments> = {
    name: "http_request",
    description:
      "One HTTP request to a public address; any status is an answer. Redirects of GET and HEAD are followed.",
    schema: RequestArguments,
    side_effects: "some",
    max_chars: MAX_CHARS + FRAME_CHARS,
    deadlineS: ({ timeout_ms }) => timeout_ms / 1000 + SPARE_S,
    targets: () => [], // it changes no file
    run: async (args, context) => requestHttp(args, context, options),
  };
  return Object.freeze([search, fetch, request].map((tool) => Object.freeze(tool)));
};

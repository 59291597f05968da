import { z } from "zod";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name; rejects where there are none. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>;

export interface FetchedPage {
  readonly status: number;
  readonly type: string;
  readonly bytes: number;
  /** The final address. */
  readonly url: string;
  readonly text: string;
  /** Why the text is only a part. */
  readonly cut?: string | null;
}

/** Reads one page; an injected one replaces the network. */
export type FetchBackend = (url: string, options: { readonly signal: AbortSignal }) => Promise<FetchedPage>;

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchAnswer {
  /** What the service says by itself; null where it only lists. */
  readonly answer: string | null;
  readonly hits: readonly SearchHit[];
}

export interface SearchQuery {
  readonly query: string;
  readonly max_results: number;
  readonly signal: AbortSignal;
}

/** Asks one search service; an injected one replaces the network. */
export type SearchBackend = (query: SearchQuery) => Promise<SearchAnswer>;

export interface SearchGround {
  readonly config: WebSearchConfig;
  /** The service's key; empty for one that needs none. */
  readonly key: string;
  /** One request to the service. Resolves with the body of a 2xx answer. */
  ask(request: { url: string; method: string; headers: Record<string, string>; body: string | null }): Promise<string>;
}

/** Bytes of a body that are read, after decompression. */
export const WEB_MAX_BYTES = 5 << 20;
export const WEB_TIMEOUT_S = 20;
export const MAX_CHARS = 100_000;

export interface WebSearchConfig {
  readonly backend?: "linkup" | "duckduckgo" | undefined;
  readonly api_key_env?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly depth?: string | undefined;
  readonly output_type?: string | undefined;
  readonly max_results?: number | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

export interface WebOptions {
  /** Whether private, loopback, link-local and metadata addresses may be reached. */
  readonly allow_private: boolean;
  readonly search_config?: WebSearchConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Seconds a page may take; default 20. */
  readonly timeout_s?: number;
  /** Replace the network. */
  readonly fetch?: FetchBackend | undefined;
  readonly search?: SearchBackend | undefined;
  /** Replace the system's look-up of host names, and the rule of what is private. */
  readonly lookup?: Lookup;
  readonly refuses?: (address: string) => boolean;
}

const chars = z.int().min(1).max(MAX_CHARS).default(20_000);
export const FetchArguments = z.strictObject({ url: z.string().min(1), max_chars: chars });
export const SearchArguments = z.strictObject({
  query: z.string().min(1).max(2000),
  max_results: z.int().min(1).max(20).optional().describe("default 8"),
});
export const RequestArguments = z.strictObject({
  url: z.string().min(1),
  method: z.string().default("GET").describe("GET HEAD POST PUT PATCH DELETE OPTIONS"),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  timeout_ms: z.int().min(1).max(120_000).default(30_000),
  max_chars: chars,
});
export type FetchArguments = z.infer<typeof FetchArguments>;
export type SearchArguments = z.infer<typeof SearchArguments>;
export type RequestArguments = z.infer<typeof RequestArguments>;

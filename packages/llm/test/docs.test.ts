import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Config } from "@smith/contract/config";
import { startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { VENDORED_ON } from "../src/index.ts";
import { ask } from "./scene.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const DOC = readFileSync(join(ROOT, "docs/MODELS.md"), "utf8");
/** Without line breaks: a sentence may run over several lines. */
const PROSE = DOC.replaceAll(/\s+/g, " ");

/** The number that a constant of the code is set to, as `16 * 2 ** 20`. */
function constant(file: string, name: string): number {
  const source = readFileSync(join(ROOT, "packages", file), "utf8");
  const [, text] = new RegExp(`const ${name} = ([\\d_.* ]+);`).exec(source) ?? [];
  if (text === undefined) throw new Error(`${file} has no constant ${name}`);
  return text
    .replaceAll("_", "")
    .split(/(?<!\*)\*(?!\*)/)
    .map((factor) => factor.split("**").map(Number))
    .reduce((product, [base = Number.NaN, power = 1]) => product * base ** power, 1);
}

/** The numbers that a sentence of the docs gives; `N` in the pattern is one. */
function told(pattern: string): readonly number[] {
  const found = new RegExp(pattern.replaceAll("N", "([\\d,]+)")).exec(PROSE);
  if (found === null) throw new Error(`docs/MODELS.md has no ${pattern}`);
  return found.slice(1).map((text) => Number(text.replaceAll(",", "")));
}

const MB = 2 ** 20;
const { llm_config, ...config } = Config.parse({});
const NUMBERS: readonly (readonly [pattern: string, numbers: readonly number[]])[] = [
  ["`llm_config.connect_timeout` \\| N", [constant("llm/src/adapter.ts", "CONNECT_TIMEOUT_S")]],
  ["`llm_config.send_timeout` \\| N", [constant("llm/src/adapter.ts", "SEND_TIMEOUT_S")]],
  ["`llm_config.stream_stall_timeout` \\| N", [constant("llm/src/adapter.ts", "STREAM_STALL_TIMEOUT_S")]],
  ["`llm_config.timeout` \\| N", [constant("llm/src/adapter.ts", "TIMEOUT_S")]],
  [
    "at most N times the stall time without data, N s",
    [
      constant("llm/src/clocks.ts", "COMMENT_GRACE"),
      constant("llm/src/clocks.ts", "COMMENT_GRACE") * constant("llm/src/adapter.ts", "STREAM_STALL_TIMEOUT_S"),
    ],
  ],
  [
    "an event of at most N MB, an answer of at most N MB",
    [constant("llm/src/answer.ts", "MAX_EVENT") / MB, constant("llm/src/http.ts", "MAX_BODY") / MB],
  ],
  ["`llm_config.retry_max_retries` times \\(N retries\\)", [llm_config.retry_max_retries]],
  ["`llm_config.retry_backoff_ms` between \\(N then N ms", llm_config.retry_backoff_ms],
  ["beyond N s nobody waits", [constant("llm/src/router.ts", "LONGEST_WAIT_MS") / 1000]],
  ["`empty_response_retry_max_retries` times \\(N\\)", [config.empty_response_retry_max_retries]],
  ["`empty_response_retry_backoff_ms` \\(N then N ms\\)", config.empty_response_retry_backoff_ms],
  [
    "one provider is asked N times at most",
    [(1 + llm_config.retry_max_retries) * (1 + config.empty_response_retry_max_retries)],
  ],
  ["Anthropic is asked for at most N tokens", [constant("llm/src/anthropic/thinking.ts", "MAX_TOKENS")]],
  ["A context window is N tokens", [constant("runtime/src/models.ts", "CONTEXT_WINDOW")]],
  ["answers within N ms", [constant("runtime/src/discover.ts", "PROBE_S") * 1000]],
  ["provider's own words \\(N characters\\)", [constant("llm/src/errors.ts", "WORDS")]],
  ["nested N levels", [constant("engine/src/tools/steps/decode.ts", "MAX_DEPTH")]],
];

test.each(NUMBERS)("X3 docs/MODELS.md tells the code's own number: %s", (pattern, numbers) => {
  expect(told(pattern)).toEqual(numbers);
});

test("X3 docs/MODELS.md tells the code's own thinking budgets", () => {
  const source = readFileSync(join(ROOT, "packages/llm/src/anthropic/thinking.ts"), "utf8");
  const budgets = /low: ([\d_]+), medium: ([\d_]+), high: ([\d_]+)/.exec(source)?.slice(1) ?? [];
  expect(told("low N, medium N, high N tokens")).toEqual(budgets.map((text) => Number(text.replaceAll("_", ""))));
});

test("X3 docs/MODELS.md tells of which day the table of models is", () => {
  expect(/put together on ([\d-]+)\./.exec(PROSE)?.[1]).toBe(VENDORED_ON);
});

const ROWS = DOC.split("\n").flatMap((line) => {
  const [, statuses, code, again] = /^\| ([\d, ]+) \| `(\w+)` \| (✓|) ?\|/.exec(line) ?? [];
  return statuses === undefined
    ? []
    : statuses.split(", ").map((status) => ({ status: Number(status), code, again: again === "✓" }));
});

test("X3 L30 each status in the table of docs/MODELS.md comes to the code that stands beside it", async () => {
  expect(ROWS.length).toBe(18);
  for (const { status, ...row } of ROWS) {
    await using llm = await startScriptedLlm([{ status }]);
    const { error } = await ask(llm.url);
    expect({ status, code: error?.code, again: error?.retryable }).toEqual({ status, ...row });
  }
});

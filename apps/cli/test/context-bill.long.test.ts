import type { RecordedRequest } from "@smith/testkit";
import { expect, test } from "vitest";
import { model, place } from "./scene.ts";

/** What a provider with a prefix cache bills: bytes outside the kept prefix, and a tenth of those inside. */
interface Bill {
  readonly bill: number;
  /** Bytes outside the prefix that the request before had, the first request's counted. */
  readonly outside: number;
  /** Requests that do not begin with the whole of the one before. */
  readonly breaks: number;
  /** Tokens (bytes/4) of the largest request. */
  readonly largest: number;
}

type Policy = "smith" | "naive" | "never";
const SETTINGS: Readonly<Record<Policy, object>> = {
  smith: {},
  naive: { elide_step: 0 },
  never: { enabled: false },
};

/** Plays `sizes.length` rounds of one `read` each through `smith -p`, and bills what the endpoint received. */
async function billOf(policy: Policy, context_window: number, sizes: readonly number[]): Promise<Bill> {
  const names = sizes.map((_, at) => `f${at}.txt`);
  const llm = await model([
    ...names.map((path, at) => ({ call: [{ id: `c${at}`, name: "read", args: { path } }] })),
    { say: "Done." },
  ]);
  const here = place({
    files: Object.fromEntries(sizes.map((size, at) => [`f${at}.txt`, `${`${at} `.padEnd(size, "abcdefg ")}\n`])),
    config: {
      default_model: "scripted",
      max_rounds: 2000,
      providers: [{ name: "scripted", kind: "openai_chat", api_url: llm.url, context_window }],
      context_management: { ...SETTINGS[policy], compact: { enabled: false } },
    },
  });
  const end = await here.run(["-p", "read them all"]);
  expect([end.code, end.stdout]).toEqual([0, "Done.\n"]);
  return billed(llm.requests);
}

function billed(requests: readonly RecordedRequest[]): Bill {
  const sum = { bill: 0, outside: 0, breaks: 0, largest: 0 };
  let before: readonly string[] = [];
  for (const { body } of requests) {
    const { tools, messages } = body as { tools: unknown; messages: readonly unknown[] };
    const now = [tools, ...messages].map((each) => JSON.stringify(each)); // tools first: so a provider's cache has them
    const same = now.findIndex((text, at) => text !== before[at]);
    const whole = same < 0 ? now.length : same;
    const inside = bytesOf(now.slice(0, whole)) + commonBytes(now[whole] ?? "", before[whole] ?? "");
    const total = bytesOf(now);
    sum.outside += total - inside;
    sum.bill += total - inside + inside / 10;
    sum.breaks += whole < before.length ? 1 : 0;
    sum.largest = Math.max(sum.largest, Math.ceil(total / 4));
    before = now;
  }
  return sum;
}

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

function commonBytes(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return Buffer.byteLength(a.slice(0, at));
}

const rows: string[] = [];
function tell(run: string, policy: Policy, { bill, outside, breaks, largest }: Bill): void {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(2);
  rows.push(`| ${run} | ${policy} | ${mb(bill)} | ${mb(outside)} | ${breaks} | ${largest} |`);
}

async function all<P extends Policy>(run: string, window: number, sizes: readonly number[], policies: readonly P[]) {
  const bills: Partial<Record<Policy, Bill>> = {};
  for (const policy of policies) {
    const bill = await billOf(policy, window, sizes);
    tell(run, policy, bill);
    bills[policy] = bill;
  }
  return bills as Record<P, Bill>;
}

const even = (n: number): readonly number[] => Array<number>(n).fill(4096);

test("200 rounds of 4 KB behind 128,000 tokens: at most half of the naive bill and 0.36 of never eliding", async () => {
  const { smith, naive, never } = await all("200 x 4 KB, 128,000", 128_000, even(200), ["smith", "naive", "never"]);
  expect({
    breaks: smith.breaks <= 13,
    outside: smith.outside <= 0.25 * naive.outside && smith.outside <= 1.5 * never.outside, // who never elides sends each byte as new once
    bill: smith.bill <= 0.5 * naive.bill && smith.bill <= 0.36 * never.bill,
    largest: smith.largest <= 45_000,
  }).toEqual({ breaks: true, outside: true, bill: true, largest: true });
});

test.each([32_000, 200_000, 1_000_000])(
  "200 rounds behind %i tokens: at most half of the naive bill",
  async (window) => {
    const { smith, naive } = await all(`200 x 4 KB, ${window}`, window, even(200), ["smith", "naive"]);
    expect(smith.bill / naive.bill).toBeLessThanOrEqual(0.5);
  },
);

test("1,000 rounds behind 128,000 tokens reach dropping: at most 0.65 of the naive bill, never over the threshold", async () => {
  const { smith, naive } = await all("1,000 x 4 KB, 128,000", 128_000, even(1000), ["smith", "naive"]);
  expect([smith.bill <= 0.65 * naive.bill, smith.largest <= 0.8 * 128_000]).toEqual([true, true]);
});

test("200 rounds of mixed outputs: at most 0.7 of the naive bill", async () => {
  const sizes = Array.from({ length: 200 }, (_, at) => 300 + ((at * 7919) % 7100));
  const { smith, naive } = await all("200 mixed, 128,000", 128_000, sizes, ["smith", "naive"]);
  expect(smith.bill / naive.bill).toBeLessThanOrEqual(0.7);
});

test("the table", () => {
  const head = ["| run | policy | bill MB | outside MB | breaks | largest, tokens |", "|---|---|--:|--:|--:|--:|"];
  console.log([...head, ...rows].join("\n"));
  expect(rows).toHaveLength(13);
});

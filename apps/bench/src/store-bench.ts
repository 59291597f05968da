import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Store } from "@smith/contract/store";
import { openStore } from "@smith/store";
import { createWriting, type Writing } from "./writing.ts";

const SMITH = fileURLToPath(new URL("../../cli/dist/smith.js", import.meta.url));
const PER_CONVERSATION = 1_000;
const PER_TURN = 100;
/** Words of every class that are looked for, each once. */
const QUERIES = 40;
const STARTS = 5;

/**
 * How the store grows: fills a database with so many messages, message by message as turns do, then measures search, size
 * and start. Arguments: the numbers of messages; default 10,000, 100,000 and 1,000,000 (the last takes some minutes).
 */
export async function runStoreBench(sizes: readonly string[]): Promise<void> {
  const wanted = sizes.length === 0 ? [10_000, 100_000, 1_000_000] : sizes.map(sizeOf);
  print(["messages", "write ms each", "file / text", "rare", "middling", "common", "two words", "open ms", "start ms"]);
  print(Array.from({ length: 9 }, () => "---:"));
  for (const messages of wanted) print(await measure(messages));
}

function sizeOf(text: string): number {
  const size = Number(text);
  if (Number.isSafeInteger(size) && size >= PER_CONVERSATION) return size;
  throw new Error(`messages ${JSON.stringify(text)}: expected a whole number from ${PER_CONVERSATION} on.`);
}

const print = (cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);

async function measure(messages: number): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), "smith-bench-store-"));
  try {
    const file = join(home, "smith.db");
    const writing = createWriting(messages);
    let store = (await openStore({ file, now: Date.now })).store;
    const began = performance.now();
    for (let at = 0; at < messages; at += PER_TURN) await writeTurn(store, writing, at);
    const each = (performance.now() - began) / messages;
    await store.close();
    const size = statSync(file).size / writing.bytes();
    const opened = performance.now();
    store = (await openStore({ file, now: Date.now })).store;
    const open = performance.now() - opened;
    const found: string[] = [];
    for (const words of Object.values(writing.words(QUERIES))) found.push(await searchCell(store, words));
    await store.close();
    return [String(messages), each.toFixed(3), size.toFixed(2), ...found, open.toFixed(1), start(home)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function writeTurn(store: Store, writing: Writing, at: number): Promise<void> {
  const [ts, conversation_id] = [1_700_000_000_000 + at, `c${Math.floor(at / PER_CONVERSATION)}`];
  const user = { role: "user" as const, content: writing.text(at), round: 0, ts };
  const place = { conversation_id, project_id: "p1", parent: null, role: "direct", ts };
  const turn = await store.turn.open({ ...place, user });
  for (let n = 1; n < PER_TURN; n++) {
    const message = { content: writing.text(at + n), turn_id: turn.turn_id, round: n, ts: ts + n };
    await turn.append({ role: "assistant", ...message });
  }
  const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: null, reasoning_tokens: null, cost_usd: null };
  const said = { model: "m", provider: "default", rounds: PER_TURN - 1, tool_calls: 0, usage, children: [] };
  await turn.close({ ts, stop_reason: "completed", ...said });
}

/** `p95 ms (hits by score | by age)` of looking for each of the texts, in one project. */
async function searchCell(store: Store, texts: readonly string[]): Promise<string> {
  const times: number[] = [];
  let byAge = 0;
  for (const text of texts) {
    const began = performance.now();
    const answer = await store.search.find({ text, project_id: "p1", kind: null, role: null, limit: 20 });
    times.push(performance.now() - began);
    if (answer.order === "newest") byAge++;
    if (answer.hits.length === 0) throw new Error(`${JSON.stringify(text)} was not found`);
  }
  times.sort((a, b) => a - b);
  const p95 = times[Math.ceil(times.length * 0.95) - 1] ?? 0;
  return `${p95.toFixed(1)}${byAge === 0 ? "" : ` (${byAge} of ${texts.length} by age)`}`;
}

/** Wall time of a shell that opens this home, meets the end of its input, and leaves; median. */
function start(home: string): string {
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const env = { PATH: process.env["PATH"], SMITH_HOME: home, SMITH_NO_PROBE: "1" };
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [SMITH, "--model", "demo"], { cwd, env, input: "" });
    if (status !== 0) throw new Error(`smith ended with ${status}: ${stderr}`);
    return performance.now() - began;
  });
  return (times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0).toFixed(0);
}

import { COMMANDS } from "@smith/commands";
import { expect, test } from "vitest";
import { type Case, casesFor } from "./command-cases.ts";
import type { Ended } from "./running.ts";
import { model, place } from "./scene.ts";

const TYPED = COMMANDS.filter(({ doors }) => doors.includes("slash"));
const KINDS = ["right", "something missing", "something unknown", "something too much"] as const;

interface Placed extends Case {
  /** `config: something missing`. */
  readonly what: string;
  readonly command: string;
}

/** In the table's order; those of the one that leaves come last, and of them its own wrong calls first. */
function casesInOrder(id: string): readonly Placed[] {
  const cases = casesFor(id);
  const placed = TYPED.flatMap(({ name }) => {
    if (!Object.hasOwn(cases, name)) throw new Error(`/${name} has no cases: write its four into command-cases.ts`);
    return (cases[name] ?? []).map((each, at) => ({ ...each, what: `${name}: ${KINDS[at]}`, command: name }));
  });
  return [...placed.filter(({ command }) => command !== "exit"), ...placed.slice(-4).reverse()];
}

/** What leaves a mark on each stream: what stands between two is the line's own. */
const marks = (at: number) => [`/config set max_tokens ${at + 1}`, `/mark-${at}`];
const MARK_OUT = /^max_tokens = \d+, from the next turn on\.\n/m;
const MARK_ERR = /^unknown command \/mark-\d+\. \/help lists them\.\n/m;

/** A case, or what has to be typed before one. */
type Chunk = { readonly lines: readonly string[]; readonly placed: Placed | null };

const chunksOf = (cases: readonly Placed[]): readonly Chunk[] =>
  cases.flatMap((placed) => [
    ...((placed.after ?? []).length === 0 ? [] : [{ lines: placed.after ?? [], placed: null }]),
    { lines: [placed.line], placed },
  ]);

function faultsOf(chunks: readonly Chunk[], { stdout, stderr }: Pick<Ended, "stdout" | "stderr">): readonly string[] {
  const [shown, said] = [stdout.split(MARK_OUT).slice(1), stderr.split(MARK_ERR).slice(1)];
  return chunks.flatMap(({ placed }, at) => {
    const [out, error] = [shown[at]?.trim() ?? "", (said[at] ?? "").trim().replace(/^smith: /, "")];
    if (placed === null || isAsMeant(placed, out, error)) return [];
    return [`${placed.what}: ${placed.line}\n  stdout: ${out}\n  stderr: ${error}`];
  });
}

function isAsMeant({ shows, refuses, beside = "", line, command }: Placed, out: string, error: string): boolean {
  if (shows !== undefined) return error === beside && shows.test(out);
  if (refuses !== "misfit") return out === "" && refuses?.test(error) === true;
  // What was got, what is expected, and the next step; on one line, and nothing done.
  const [flag] = /--\w+/.exec(line) ?? [];
  const got = error.startsWith(`${line}: `) || (flag !== undefined && error.includes(flag));
  const expected = error.includes(` usage: ${command}`) || /: expected ./.test(error);
  return out === "" && got && expected && error.endsWith(`  (/help ${command} tells more)`) && !/\n/.test(error);
}

test("K4 U15 U16 U17 U18 U19 U20 U21 U22 U23 U25 each command of the table, as meant and wrong in three ways, in one shell on a pipe", async () => {
  const cases = casesInOrder("x");
  const turns = cases.flatMap(({ after = [] }) => after.filter((line) => !line.startsWith("/")));
  const script = [{ say: "Earlier." }, ...turns.map(() => ({ say: "Hi." })), { say: "Hi." }]; // the last is what /retry asks
  const llm = await model(script, { models: [{ id: "scripted" }] });
  const here = place({ config: llm.config });
  const { conversation_id } = (await here.run(["-p", "earlier", "--output", "json"])).json();
  const chunks = chunksOf(casesInOrder(conversation_id));
  const lines = chunks.flatMap((chunk, at) => [...marks(at), ...chunk.lines]);
  const ended = await here.run([], { stdin: `${lines.join("\n")}\n` });
  expect(faultsOf(chunks, ended)).toEqual([]);
  expect([ended.code, llm.requests.length]).toEqual([0, script.length]);
});

import type { AgentErrorData } from "@smith/contract/error";
import { UNKNOWN_USAGE } from "@smith/contract/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  accountRows,
  argsPreview,
  cancelledRow,
  createTheme,
  dispatchRows,
  errorPreview,
  errorRows,
  refusedRow,
  resultPreview,
  runningRow,
  toolRow,
  width,
} from "../src/index.ts";
import { dark, OUR_COLOURS, plain } from "./markdown-scene.ts";

const wide = { columns: 200, theme: plain };
const end = { tool: "bash", ok: true, summary: "exit 0 (12 B)", error: null, mutation_state: "attempted" } as const;
const errorOf = (kind: AgentErrorData["kind"], message: string): AgentErrorData => ({
  ...{ kind, code: kind, message, retryable: false, origin: "test", data: {}, cause: null },
});

test("U3 a tool row says the tool, what it is about and what came of it, in each state", () => {
  const args = { command: "npm test" };
  const failed = { ...end, ok: false, summary: "error: no such file", error: errorOf("tool", "no such file") };
  const cancelled = { ...end, ok: false, error: errorOf("cancelled", "ctrl-c") };
  const read = { ...end, tool: "read", summary: "a.ts (lines 1-9)" };
  expect([
    toolRow(end, args, wide),
    toolRow(failed, args, wide),
    ...(["none", "attempted", "unknown"] as const).map((mutation_state) =>
      toolRow({ ...cancelled, mutation_state }, args, wide),
    ),
    toolRow(read, { path: "a.ts" }, wide),
    toolRow({ ...end, tool: "note" }, {}, wide),
    refusedRow({ tool: "bash", args, error: errorOf("policy", "bash is denied: not in mode plan.") }, wide),
  ]).toEqual([
    "• bash npm test  exit 0 (12 B)",
    "✗ bash npm test  error: no such file",
    "◦ bash npm test  cancelled, nothing changed",
    "◦ bash npm test  cancelled, had changed something",
    "◦ bash npm test  cancelled, may have changed something",
    "• read  a.ts (lines 1-9)",
    "• note  exit 0 (12 B)",
    "✗ bash npm test  refused: bash is denied: not in mode plan.",
  ]);
  expect(toolRow(end, args, { columns: 80, theme: dark })).toBe(
    `${dark.ok("•")} ${dark.bold("bash")} npm test  ${dark.dim("exit 0 (12 B)")}`,
  );
});

test("U36 arguments are shown with 80 columns, results with 120, errors with 300", () => {
  const long = "x".repeat(1000);
  expect([argsPreview({ command: long }), resultPreview(long), errorPreview(long)]).toEqual([
    `${"x".repeat(79)}…`,
    `${"x".repeat(119)}…`,
    `${"x".repeat(299)}…`,
  ]);
  expect([
    argsPreview({ op: "replace", path: "a.ts" }),
    argsPreview({ kind: ["a", 1] }),
    argsPreview({ text: "two\nlines" }),
    argsPreview(null),
    argsPreview(undefined),
    argsPreview({}),
    argsPreview({ command: "你".repeat(60) }),
  ]).toEqual(["a.ts", '["a",1]', "two lines", "null", "", "", `${"你".repeat(39)}…`]);
});

test("U3 U6 a running row turns its spinner, and keeps its time when it is cut", () => {
  const call = { tool: "bash", args: { command: "npm test -- --watch" }, elapsed_ms: 3400 };
  expect([
    runningRow(call, wide),
    runningRow({ ...call, elapsed_ms: 3500 }, wide),
    runningRow({ ...call, role: "explorer" }, wide),
    runningRow(call, { ...wide, columns: 20 }),
    runningRow(call, { ...wide, columns: 1 }),
    runningRow(call, { ...wide, unicode: false }),
    toolRow(end, {}, { ...wide, unicode: false }),
  ]).toEqual([
    "⠼ bash npm test -- --watch  3s",
    "⠴ bash npm test -- --watch  3s",
    "⠼ Link bash npm test -- --watch  3s",
    "⠼ bash npm test…  3s",
    "…",
    "| bash npm test -- --watch  3s",
    "* bash  exit 0 (12 B)",
  ]);
});

test("U3 a dispatch summary says role, status, evidence where there is any, usage and time, and what the child said", () => {
  const counts = { verified: 2, stale: 1, unsupported: 0 };
  const none = { verified: 0, stale: 0, unsupported: 0 };
  const usage = { ...UNKNOWN_USAGE, input_tokens: 12_000, output_tokens: 345, cost_usd: 0.0213 };
  expect([
    dispatchRows(
      {
        target_role: "explorer",
        status: "ok",
        evidence_counts: counts,
        usage,
        duration_ms: 41_000,
        summary: "Found\nit.",
      },
      wide,
    ),
    dispatchRows({ target_role: "worker", status: "blocked", evidence_counts: none }, wide),
    dispatchRows(
      { target_role: "worker", status: "ok", evidence_counts: none, task: `Mend\n${"it ".repeat(20)}` },
      wide,
    ),
    dispatchRows(
      { target_role: "worker", status: "partial", evidence_counts: none, cancelled: true, usage: UNKNOWN_USAGE },
      wide,
    ),
    dispatchRows(
      { target_role: "worker", status: "blocked", evidence_counts: none, error: errorOf("transport", "x") },
      wide,
    ),
  ]).toEqual([
    ["◂ Link ok  2 verified, 1 stale  12.3k tokens $0.02  41s", "  Found it."],
    ["◂ Niobe blocked"],
    ["◂ Niobe ok  Mend it it it it it it it it it it it i…"],
    ["◂ Niobe partial (cancelled)"],
    ["◂ Niobe blocked (transport)"],
  ]);
});

test("U3 an error and a cancel are told; the account of a cancel says what each node did and which files had changed", () => {
  expect(
    errorRows({ code: "rate_limit", message: "The provider said: too many requests." }, { ...wide, columns: 30 }),
  ).toEqual(["✗ rate_limit: The provider", "  said: too many requests."]);
  expect(cancelledRow("ctrl-c", wide)).toBe("◦ cancelled (ctrl-c)");
  const node = { stopped_after_ms: 3, calls: [], files_changed: [] };
  const nodes = [
    { ...node, role: "direct", job_id: null, files_changed: ["/repo/src/b.ts", "/etc/x"] },
    {
      ...node,
      role: "worker",
      job_id: "Ab12Cd34Ef56",
      files_changed: ["/repo/a.ts", "/repo/src/b.ts"],
      calls: [
        { tool: "bash", mutation_state: "unknown" as const },
        { tool: "edit", mutation_state: "none" as const },
      ],
    },
  ];
  expect(accountRows({ reason: "ctrl-c", nodes }, "/repo", wide)).toEqual([
    "◦ cancelled (ctrl-c): Smith between calls; Niobe Ab12 in bash (may have changed something), edit (nothing changed)",
    "  3 files changed: /etc/x, a.ts, src/b.ts",
  ]);
  expect(accountRows({ reason: "esc", nodes: [] }, "/repo", wide)).toEqual([
    "◦ cancelled (esc)",
    "  no file changed by finished calls",
  ]);
});

test("U8 the theme paints roles by their alias, degrades to nothing, and keeps role names from elsewhere harmless", () => {
  const roles = ["direct", "orchestrator", "worker", "explorer", "my\u001b[2Jrole", "constructor"];
  const bare = ["Smith", "Tank", "Niobe", "Link", "myrole", "constructor"];
  expect(roles.map(plain.role)).toEqual(bare);
  expect(roles.map(createTheme({ colour: true, kind: "none" }).role)).toEqual(bare);
  expect(["direct", "nobody"].map(dark.role)).toEqual([
    "\u001b[1m\u001b[32mSmith\u001b[39m\u001b[22m",
    "\u001b[1mnobody\u001b[22m",
  ]);
  const { role: _role, colour: _colour, prompt, ...paints } = plain;
  expect([...Object.values(paints), ...Object.values(prompt)].map((paint) => paint("x"))).toEqual(Array(32).fill("x"));
});

test("B68 U3 no row is wider than the terminal nor holds a sequence that is not ours, whatever tools and models say", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\u001b]0;x\u0007", "\u001b[2J", "\u009b1A", "a\rb", "\u202e", "你好👨‍👩‍👧"),
  );
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 50 }), (one, two, columns) => {
      const options = { columns, theme: dark };
      const node = {
        role: one,
        job_id: two,
        stopped_after_ms: 0,
        calls: [{ tool: one, mutation_state: "none" as const }],
        files_changed: [`/${two}`],
      };
      const rows = [
        toolRow({ ...end, tool: one, summary: two }, { command: one }, options),
        toolRow({ ...end, ok: false, tool: one, summary: two }, one, options),
        runningRow({ tool: one, args: [two], elapsed_ms: 1, role: two }, options),
        ...dispatchRows(
          {
            target_role: "worker",
            status: "ok",
            evidence_counts: { verified: 1, stale: 0, unsupported: 0 },
            summary: one,
          },
          options,
        ),
        cancelledRow(one, options),
        ...accountRows({ reason: two, nodes: [node] }, "/x", options),
        ...(columns < 2 ? [] : errorRows({ code: one, message: two }, options)),
      ];
      expect(rows.filter((row) => width(row) > columns)).toEqual([]);
      const odd = [...rows.join("").replaceAll(OUR_COLOURS, "")].filter(
        (char) => char < " " || (char >= "\u007f" && char < "\u00a0"),
      );
      expect(odd).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

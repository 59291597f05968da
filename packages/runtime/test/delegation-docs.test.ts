import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@smith/contract/config";
import type { ToolContext } from "@smith/contract/tool";
import { createJob, createRoles, readReport } from "@smith/engine";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRuntime, type Layer } from "../src/index.ts";
import { RESULT } from "./delegation-scene.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/DELEGATION.md"), "utf8");

/** The examples of the page: what stands behind `json` in the fence, and the value. */
const examples = [...PAGE.matchAll(/^```json ?(.*)\n([\s\S]*?)^```$/gm)].map(([, kind = "", text = ""], n) => ({
  ...{ n: n + 1, kind, value: JSON.parse(text) as unknown },
}));

const parent: ToolContext = {
  ...{ role: "direct", conversation_id: "c1", turn_id: "t1", call_id: "call_1", project_id: "p", job_id: null },
  ...{ mode: "full", cwd: "/work", project_root: null, signal: new AbortController().signal, isCancelled: () => false },
};

const ACCOUNT = z.strictObject({
  reason: z.string().min(1),
  nodes: z.array(
    z.strictObject({
      role: z.string(),
      job_id: z.string().nullable(),
      stopped_after_ms: z.int().gte(0),
      calls: z.array(z.strictObject({ tool: z.string(), mutation_state: z.enum(["none", "attempted", "unknown"]) })),
      files_changed: z.array(z.string().startsWith("/")),
    }),
  ),
});

/** Throws for an example that is not what it says. */
const CHECKS: Readonly<Record<string, (value: unknown) => unknown>> = {
  dispatch: (value) => createJob(value as Parameters<typeof createJob>[0], parent, { roles: createRoles() }),
  "report explorer": (value) => accepted(value, "explorer"),
  "report worker": (value) => accepted(value, "worker"),
  result: (value) => RESULT.parse(value),
  cancel: (value) => ACCOUNT.parse(value),
  config: (value) => createRuntime({ config: value as Layer }).start(),
};

function accepted(value: unknown, role: "worker" | "explorer"): void {
  const read = readReport(value, role);
  if ("fault" in read) throw new Error(read.fault);
}

describe("docs/DELEGATION.md", () => {
  test.each(examples)("TL44 TL47 D9 example $n, $kind, is one", async ({ kind, value }) => {
    const check = CHECKS[kind];
    if (check === undefined) throw new Error(`An example of a kind nobody checks: ${JSON.stringify(kind)}`);
    await check(value);
  });

  test("TL44 D14 the sloppy report says the same as lists of objects", () => {
    const sloppy = examples.filter(({ kind }) => kind === "report explorer").at(-1)?.value;
    expect(readReport(sloppy, "explorer")).toEqual({
      report: {
        status: "ok",
        summary: "The delay is computed in waitBefore.",
        findings: ["waitBefore picks the n-th entry"],
        evidence: [
          {
            path: "packages/llm/src/retry.ts",
            lines: "12-20",
            quote: "list[Math.min(n, list.length) - 1]",
            note: "packages/llm/src/retry.ts:12-20 `list[Math.min(n, list.length) - 1]`",
          },
        ],
        ...{ changes: [], verification: [], limitations: [] },
      },
    });
  });

  test("D1 the limits of the page are those of the configuration", () => {
    const rows = [...PAGE.matchAll(/^\| `services\.dispatch\.(\w+)` \| (\w+) \|/gm)];
    const told = Object.fromEntries(
      rows.map(([, name = "", value = ""]) => [name, value === "none" ? undefined : Number(value)]),
    );
    expect(told).toEqual({ tool_step_budget: undefined, ...Config.parse({}).services.dispatch });
  });
});

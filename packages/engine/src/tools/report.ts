import { STATUSES } from "@smith/contract/dispatch";
import type { AnyTool } from "@smith/contract/tool";
import { z } from "zod";
import { readReport } from "../dispatch/report.ts";

/**
 * What the model is shown. Here every object passes: what was sent is read by `readReport`, which is more liberal, and
 * whose refusals count as tries. A well-meant report must not bounce off its shape.
 */
const Shown = z
  .looseObject({
    status: z
      .unknown()
      .optional()
      .meta({ type: "string", description: STATUSES.join(" | ") }),
    summary: z.unknown().optional().meta({ type: "string" }),
    findings: z.unknown().optional().describe("explorer: list of texts"),
    evidence: z
      .unknown()
      .optional()
      .describe("explorer: list of {path, lines, quote, receipt, note}; required with findings"),
    changes: z.unknown().optional().describe("worker: list of {path, what}"),
    verification: z.unknown().optional().describe("worker: list of {command, outcome}"),
    limitations: z.unknown().optional().describe("list of texts"),
  })
  .meta({ required: ["status", "summary"] });

/** `report`: the only way a child ends its turn well. A report that does not fit is answered with the mend. */
export const reportTool: AnyTool = Object.freeze({
  name: "report",
  description: "End the job with its result. Ends your turn.",
  schema: Shown,
  side_effects: "none",
  is_terminal: true,
  async run(args: unknown, { role }: { readonly role: string }) {
    const read = readReport(args, role === "worker" ? "worker" : "explorer");
    if ("report" in read) return { ok: true, content: "reported", metadata: { report: read.report } };
    return {
      ok: false,
      content: "",
      error: {
        kind: "schema" as const,
        code: "invalid_report",
        message: `The report does not fit: ${read.fault}. Mend it and send it again.`,
      },
    };
  },
  result_renderer: () => "reported",
} satisfies AnyTool);

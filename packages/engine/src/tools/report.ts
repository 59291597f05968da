import { type Report, STATUSES } from "@smith/contract/dispatch";
import type { AnyTool, ToolContext, ToolOutcome } from "@smith/contract/tool";
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

/** What the tool needs of the turn. */
export interface ReportPorts {
  /** No call of the turn has shown it anything. */
  readNothing(context: ToolContext): boolean;
  /** True once a turn: a report that rests on nothing is refused once, then taken. */
  mayRefuse(context: ToolContext): boolean;
  /** The built-in role that a role is, or is made of. */
  baseOf(role: string): string;
}

/** `report`: the only way a child ends its turn well. A report that does not fit is answered with the mend. */
export const createReportTool = (ports: ReportPorts): AnyTool =>
  Object.freeze({
    name: "report",
    description: "End the job with its result. Ends your turn.",
    schema: Shown,
    side_effects: "none",
    is_terminal: true,
    run: async (args: unknown, context: ToolContext) => report(args, context, ports),
    result_renderer: () => "reported",
  } satisfies AnyTool);

/** One that asks nothing of the turn. */
export const reportTool: AnyTool = createReportTool({
  readNothing: () => false,
  mayRefuse: () => false,
  baseOf: (role) => role,
});

function report(args: unknown, context: ToolContext, ports: ReportPorts): ToolOutcome {
  const read = readReport(args, ports.baseOf(context.role) === "worker" ? "worker" : "explorer");
  if ("fault" in read) return refused(`The report does not fit: ${read.fault}. Mend it and send it again.`);
  if (read.report.findings.length === 0 || !ports.readNothing(context)) return accepted(read.report);
  return ports.mayRefuse(context) ? refused(NOTHING_READ) : accepted(asPartial(read.report));
}

const NOTHING_READ =
  "The report has findings, but you have read nothing in this job: no call has shown you anything that they could rest on. Read what you cite and report again, or leave the findings out and say so in limitations.";

const asPartial = (given: Report): Report => ({
  ...given,
  status: given.status === "ok" ? "partial" : given.status,
  limitations: [...given.limitations, "The job read nothing: no call had shown it what the findings say."],
});

const accepted = (given: Report): ToolOutcome => ({ ok: true, content: "reported", metadata: { report: given } });

const refused = (message: string): ToolOutcome => ({
  ok: false,
  content: "",
  error: { kind: "schema", code: "invalid_report", message },
});

import type { AgentEvent } from "@smith/contract/event";
import type { JobRow, JobsHost } from "@smith/contract/job";

const KEPT = 100;

type Row = Omit<JobRow, "elapsed_ms"> & { readonly began_at: number; readonly ended_at: number | null };

/** The jobs of a session, told from its events. */
export interface JobBoard extends Pick<JobsHost, "list"> {
  onEvent(event: AgentEvent): void;
}

export function createJobBoard(now: () => number): JobBoard {
  const rows = new Map<string, Row>();
  const change = (job_id: string, parts: Partial<Row>) => {
    const row = rows.get(job_id);
    if (row !== undefined) rows.set(job_id, { ...row, ...parts });
  };
  const begin = (
    event: AgentEvent & { readonly job_id: string; readonly target_role: string; readonly task: string },
  ) => {
    const { job_id, target_role, task, ts } = event;
    rows.set(job_id, { job_id, role: target_role, task, status: "running", tool: null, began_at: ts, ended_at: null });
    const [oldest] = rows.keys();
    if (rows.size > KEPT && oldest !== undefined) rows.delete(oldest);
  };
  return Object.freeze({
    onEvent(event: AgentEvent) {
      if (event.type === "dispatch_started") begin(event);
      else if (event.type === "dispatch_finished") {
        change(event.job_id, { status: event.cancelled ? "cancelled" : event.status, tool: null, ended_at: event.ts });
      } else if (event.job_id !== undefined && event.type === "tool_execution_started") {
        change(event.job_id, { tool: event.tool });
      } else if (event.job_id !== undefined && event.type === "tool_execution_finished") {
        change(event.job_id, { tool: null });
      }
    },
    list: () =>
      [...rows.values()].map(({ began_at, ended_at, ...row }) => ({
        ...row,
        elapsed_ms: (ended_at ?? now()) - began_at,
      })),
  });
}

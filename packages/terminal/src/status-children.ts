import type { AgentEvent } from "@smith/contract/event";
import { safeLine } from "./safe.ts";
import type { ChildStatus, StatusView } from "./status-view.ts";

type Advance = (child: ChildStatus, event: AgentEvent) => ChildStatus;

/** What an event of a child, or of a dispatch, makes of the tree of running children; null: it is the user's turn's own. */
export function childEvent(view: StatusView, event: AgentEvent, advance: Advance): StatusView | null {
  switch (event.type) {
    case "dispatch_started":
      return dispatched(view, event);
    case "dispatch_finished":
      return event.source_role === undefined || !isSender(view, event) ? without(view, event.job_id) : view;
    case "dispatch_cancel_requested":
      return isSender(view, event) ? view : changed(view, event.job_id, (child) => ({ ...child, cancelling: true }));
    default:
      return event.source_role === undefined || event.job_id === undefined ? null : ofChild(view, event, advance);
  }
}

type Dispatch = AgentEvent & { readonly job_id: string; readonly target_role: string; readonly task: string };

/** A child's dispatch is stamped with the child's own job, so the new job's id is known only when its turn begins. */
const isSender = (view: StatusView, { turn_id, job_id }: AgentEvent): boolean =>
  view.children.some((child) => child.turn_id === turn_id && child.job_id === job_id);

function dispatched(view: StatusView, event: Dispatch): StatusView {
  const { turn_id, target_role: role, job_id, ts } = event;
  const task = safeLine(event.task);
  if (isSender(view, event)) return { ...view, expected: [...view.expected, { turn_id, role, task }] };
  const parent = view.children.find((child) => child.turn_id === turn_id)?.job_id ?? null;
  return { ...view, children: [...view.children, born({ job_id, role, task, parent_job_id: parent, started_at: ts })] };
}

function ofChild(view: StatusView, event: AgentEvent, advance: Advance): StatusView {
  const job_id = event.job_id ?? "";
  if (event.type === "turn_completed" || event.type === "turn_failed") return without(view, job_id);
  if (event.type !== "turn_started") return changed(view, job_id, (child) => advance(child, event));
  const known = view.children.some((child) => child.job_id === job_id) ? view : joined(view, event);
  const { turn_id } = event;
  return changed(known, job_id, (child) => ({ ...advance(child, event), turn_id }));
}

/** A child that a child sent: its task is the one that its sender's turn last said for the role. */
function joined(view: StatusView, event: AgentEvent): StatusView {
  const { source_role: role = "", parent_turn_id, job_id = "", ts: started_at } = event;
  const at = view.expected.findIndex((each) => each.turn_id === parent_turn_id && each.role === role);
  const parent = view.children.find((child) => child.turn_id === parent_turn_id)?.job_id ?? null;
  const task = view.expected[at]?.task ?? "";
  const expected = view.expected.filter((_, index) => index !== at);
  const child = born({ job_id, role, task, parent_job_id: parent, started_at });
  return { ...view, expected, children: [...view.children, child] };
}

type Birth = Pick<ChildStatus, "job_id" | "role" | "task" | "parent_job_id" | "started_at">;

const born = (birth: Birth): ChildStatus => ({
  ...birth,
  activity: "idle",
  calls: [],
  input_tokens: 0,
  output_tokens: 0,
  streamed_chars: 0,
  cancelling: false,
  waiting: "",
  turn_id: null,
});

const changed = (view: StatusView, job_id: string, change: (child: ChildStatus) => ChildStatus): StatusView => ({
  ...view,
  children: view.children.map((child) => (child.job_id === job_id ? change(child) : child)),
});

/** A child that ended takes along those below it, should they not have told their end. */
function without(view: StatusView, job_id: string): StatusView {
  const below = view.children.filter((child) => child.parent_job_id === job_id);
  const left = { ...view, children: view.children.filter((child) => child.job_id !== job_id) };
  return below.reduce<StatusView>((rest, child) => without(rest, child.job_id), left);
}

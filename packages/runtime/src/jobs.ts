import { type Cancel, checkCancelled } from "@smith/contract/cancel";
import type { ChildOutcome, ChildRunner, Job, RunChildOptions } from "@smith/contract/dispatch";
import { SCRATCHPAD } from "@smith/contract/note";
import type { AnyTool, ToolContext } from "@smith/contract/tool";
import {
  createDispatchTool,
  createLocalRunner,
  createReportTool,
  jobMessage,
  playTurn,
  type Roles,
  type Seat,
} from "@smith/engine";
import { checkGround } from "./job-ground.ts";
import { jobConversation, OUTCOME } from "./job-places.ts";
import { findScope } from "./scope.ts";
import { openSeat } from "./seat.ts";
import { seatKey, type TurnWorld } from "./world.ts";

/** Runs jobs as child turns of this runtime; what became of them is kept in their own conversation. */
export function createJobRunner(world: () => TurnWorld): ChildRunner {
  const config = () => world().services.config.effective();
  const notes = () => world().services.persistence.note;
  const runner = createLocalRunner({
    seat: (job, cancel) => seatOf(job, cancel, world()),
    play: playTurn,
    async stored(job) {
      const text = await notes().get(jobConversation(job.job_id), OUTCOME);
      return text === null ? null : (JSON.parse(text) as ChildOutcome); // written by `store` below
    },
    store: (job, outcome) => notes().put(jobConversation(job.job_id), OUTCOME, JSON.stringify(outcome)),
    timeoutS: () => config().services.dispatch.timeout_s,
    askedMs: () => world().questions.askedMs(),
    now: () => world().now(),
  });
  return Object.freeze({
    async run(job: Job, options: RunChildOptions): Promise<ChildOutcome> {
      const unsubscribe = world().bus.subscribe((event) => {
        if (event.job_id === job.job_id && event.source_role === job.target_role) options.onEvent(event);
      });
      return await runner.run(job, options).finally(unsubscribe);
    },
  });
}

async function seatOf(job: Job, cancel: Cancel, world: TurnWorld): Promise<Seat> {
  const { services } = world;
  const config = services.config.effective();
  const role = services.role.resolve(job.target_role);
  const [choice, scope] = await Promise.all([world.choose(role.name), findScope(job.cwd, config, world.findProject)]);
  const chat = await services.model.connect(choice);
  checkCancelled(cancel.signal);
  const { tool_step_budget, max_rounds } = config.services.dispatch;
  const seat = await openSeat(
    {
      ...{ role, mode: job.mode, config, conversation_id: jobConversation(job.job_id), job_id: job.job_id },
      ...{
        parent: job.parent_conversation_id,
        task: job.task,
        input: jobMessage(job),
        history: [],
        first_seq: 1,
        scope,
        choice,
        chat,
        cancel,
      },
      limits: { tool_step_budget: tool_step_budget ?? null, max_rounds },
      source: { source_role: role.name, job_id: job.job_id, parent_turn_id: job.parent_turn_id },
      interject: () => [],
    },
    world,
  );
  world.transcripts.set(job.job_id, seat.messages);
  return {
    request: seat.request,
    effects: seat.effects,
    report_only: seat.report_only,
    gathered: seat.gathered,
    usage: () => seat.turn_usage.total(),
    receipts: seat.receipts.list,
    onNudge: () => void world.seats.get(seatKey(seat.request.scope))?.once(), // there is no further try to refuse it for
    close: async (end) => void (await seat.close(end)),
  };
}

const aboutOf = ({ job_id, target_role, task }: { job_id: string; target_role: string; task: string }) => ({
  ...{ job_id, target_role, task },
});

/** What these answer is not what a finding could rest on. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set(["report", "record", "note"]);

/** `dispatch` and `report`. */
export function createDelegationTools(runner: ChildRunner, world: () => TurnWorld, roles: Roles): readonly AnyTool[] {
  const seatOf = (parent: ToolContext) => world().seats.get(seatKey(parent));
  const dispatch = createDispatchTool({
    runner,
    roles,
    timeoutS: () => world().services.config.effective().services.dispatch.timeout_s,
    askedMs: () => world().questions.askedMs(),
    async tell(parent, body) {
      const seat = seatOf(parent);
      seat?.emit(body);
      if (body.type === "dispatch_started") await seat?.hooks?.onDispatchStart(aboutOf(body));
      if (body.type === "dispatch_finished")
        await seat?.hooks?.onDispatchEnd({ ...aboutOf(body), status: body.status });
    },
    ground: (job, outcome) => checkGround(job, outcome, world()),
    keep: (parent, key, text) => world().services.persistence.note.put(parent.conversation_id, SCRATCHPAD + key, text),
    slot: (parent, work) => seatOf(parent)?.children.run(parent.signal, work) ?? work(),
  });
  const report = createReportTool({
    readNothing: (context) => !(seatOf(context)?.receipts.list() ?? []).some(({ tool }) => !SHOWS_NOTHING.has(tool)),
    mayRefuse: (context) => seatOf(context)?.once() ?? false,
    baseOf: (role) => roles.resolve(role).base,
  });
  return [dispatch, report];
}

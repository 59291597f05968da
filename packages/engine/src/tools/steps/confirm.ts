import type { Verdict } from "@smith/contract/confirm";
import { AgentError } from "@smith/contract/error";
import { z } from "zod";
import type { Asked, Done, ExecutorPorts, Next, Step, Work } from "../work.ts";
import { refusal } from "./refusal.ts";
import { judge } from "./veto.ts";

/** How often arguments that were edited, and still don't fit, are asked about again. */
const MAX_EDITS = 20;

/**
 * The user is asked about each call with side effects in mode `ask`, and about what a hook is in doubt of in any. The wait
 * is not the call's own time; a cancel ends it.
 */
export const confirm: Step = async (work, next, ports) => {
  const name = work.call.name;
  if (work.doubt === null && ports.tools.decide(name).decision !== "ask") return next(work);
  if (ports.confirm === null) return refusal(notConfirmed(name, work.doubt));
  try {
    return await askAbout(work, next, { ...ports, confirm: ports.confirm });
  } catch (thrown) {
    if (thrown instanceof AgentError) return refusal(thrown); // it never began
    throw thrown;
  }
};

type Ports = ExecutorPorts & { readonly confirm: NonNullable<ExecutorPorts["confirm"]> };

async function askAbout(work: Work, next: Next, ports: Ports): Promise<Done> {
  let asked: Asked = {
    ...placeOf(ports),
    tool: work.call.name,
    args: work.args,
    files: null,
    fault: null,
    doubt: work.doubt,
  };
  for (let edits = 0; edits < MAX_EDITS; edits++) {
    const verdict: Verdict = await ports.confirm({ ...asked, files: filesOf(work, asked.args, ports) }, work.signal);
    if (verdict.verdict === "no") return refusal(declined(work.call.name, verdict.message));
    if (verdict.verdict === "always" || verdict.args === undefined) {
      // What did not fit runs by no verdict: only the arguments that were checked last do.
      if (asked.fault === null) return next(work);
      continue;
    }
    const parsed = work.tool?.schema.safeParse(verdict.args);
    if (parsed?.success === true) return runEdited({ ...work, args: parsed.data }, next, ports);
    const fault = parsed === undefined ? "there is no such tool" : z.prettifyError(parsed.error);
    asked = { ...asked, args: verdict.args, fault };
  }
  return refusal(declined(work.call.name, `The edited arguments don't fit: ${asked.fault}`));
}

const placeOf = ({ tools, scope }: ExecutorPorts) => ({ role: tools.role, job_id: scope.job_id, cwd: scope.cwd });

/** A tool that can't name its files for these arguments has none to show. */
function filesOf(work: Work, args: unknown, { scope, tools }: ExecutorPorts): readonly string[] | null {
  const { signal, call } = work;
  const context = { ...scope, role: tools.role, call_id: call.id, signal, isCancelled: () => signal.aborted };
  try {
    return work.tool?.targets?.(args, context) ?? null;
  } catch {
    return null; // arguments that don't fit, or a path that leads nowhere: the call itself will tell
  }
}

/** What the user made of the arguments is new to the hooks; they may still refuse it. */
async function runEdited(work: Work, next: Next, ports: Ports): Promise<Done> {
  const judged = await judge(work, ports);
  return "refused" in judged ? judged.refused : edited(await next(work), work.args);
}

/** The model knows only the arguments that it sent: it is told which ones ran. */
function edited(done: Done, args: unknown): Done {
  if (!done.ran) return done;
  const { content } = done.outcome;
  const line = `[the user edited the arguments; it ran with ${JSON.stringify(args)}]`;
  const text = content === "" || content.endsWith("\n") ? `${content}${line}` : `${content}\n${line}`;
  return { ...done, outcome: { ...done.outcome, content: text } };
}

const notConfirmed = (name: string, doubt: string | null): AgentError =>
  new AgentError({
    kind: "policy",
    code: "not_confirmed",
    origin: "engine/confirm",
    message: `${name} needs the user's yes ${doubt === null ? "in mode ask" : `(${doubt})`}, and nobody can be asked here: it was not run. Go on without it, or tell the user that it can be confirmed in smith on a terminal${doubt === null ? ", and that --mode full runs it unasked" : ""}.`,
  });

const declined = (name: string, message = ""): AgentError =>
  new AgentError({
    kind: "policy",
    code: "declined",
    origin: "engine/confirm",
    message:
      message.trim() === ""
        ? `The user said no to this call of ${name}: it was not run. Don't try the same another way; go on without it, or say what you would need it for.`
        : `The user said no to this call of ${name}, it was not run. The user says: ${message.trim()}`,
  });

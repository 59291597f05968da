import { constants, realpathSync } from "node:fs";
import { lstat, open } from "node:fs/promises";
import type { ChildOutcome, Job } from "@smith/contract/dispatch";
import type { TranscriptMessage } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import { type CheckGround, shownIn } from "@smith/engine";
import { jobConversation } from "./job-places.ts";
import { findRoot } from "./project.ts";

/** Where a job's transcript is found. */
export interface GroundWorld {
  readonly transcripts: Map<string, readonly TranscriptMessage[]>;
  readonly services: { readonly persistence: Store };
}

/** What a job's claims are compared with: its transcript, its receipts, and the disk as it is now. */
export async function checkGround(job: Job, outcome: ChildOutcome, world: GroundWorld): Promise<CheckGround> {
  const cwd = realOr(job.cwd);
  return {
    shown: shownIn(await transcriptOf(job, world)),
    receipts: outcome.receipts ?? [],
    ...{ cwd, project_root: findRoot(cwd), readFile, changedAt },
  };
}

/** As it ran here, else as it was stored. */
async function transcriptOf({ job_id }: Job, world: GroundWorld): Promise<readonly TranscriptMessage[]> {
  const ran = world.transcripts.get(job_id);
  world.transcripts.delete(job_id);
  if (ran !== undefined) return ran;
  const stored = world.services.persistence.conversation.messages(jobConversation(job_id));
  return (await stored.catch(() => ({ messages: [] }))).messages; // nothing can be read: nothing was shown
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // deleted meanwhile: no citation will find its file
  }
}

/** Bytes of a file beyond which a citation of it is not looked up. */
const MAX_BYTES = 16 << 20;

async function readFile(path: string): Promise<string | null> {
  try {
    // Without waiting: a named pipe in its place would hold the turn for ever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    return stats.isFile() && stats.size <= MAX_BYTES ? await file.readFile("utf8") : null;
  } catch {
    return null; // absent or unreadable
  }
}

async function changedAt(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).ctimeMs;
  } catch {
    return null; // not there
  }
}

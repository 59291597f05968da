import type { DispatchResult } from "@smith/contract/dispatch";
import type { TargetRole } from "@smith/contract/target-role";
import type { EvidenceGround } from "./evidence.ts";
import { checkEvidence, countVerdicts } from "./evidence.ts";
import { checkChanges, checkVerification, type WorkGround } from "./reconcile.ts";

/** All that a job's claims are compared with. */
export type CheckGround = EvidenceGround & WorkGround;

/** The result with what code found of its claims. Nothing is left out of it: a claim is marked, not deleted. */
export async function checkResult(
  result: DispatchResult,
  base: TargetRole,
  ground: CheckGround,
): Promise<DispatchResult> {
  const evidence_check = await checkEvidence(result.evidence, ground);
  const checked = { ...result, evidence_check, evidence_counts: countVerdicts(evidence_check) };
  if (base !== "worker") return checked;
  return {
    ...checked,
    changes_check: await checkChanges(result.changes, ground),
    verification_check: checkVerification(result.verification, ground),
  };
}

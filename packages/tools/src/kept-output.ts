import type { ToolContext } from "@smith/contract/tool";
import { printable, refusal } from "./fault.ts";

/** The whole outputs of earlier calls, found by the receipt of the call. */
export interface KeptOutputs {
  /** `expired`: there was such a call, but its output is gone. `turn_id` null: the turn that asks. */
  find(place: OutputPlace, context: ToolContext): Promise<{ readonly text: string } | "unknown" | "expired">;
}

export interface OutputPlace {
  readonly turn_id: string | null;
  readonly receipt_id: string;
}

/** `output:r7` and `output:t3/r7`; null for anything else, which is then a file. */
export function outputPath(path: string): OutputPlace | null {
  const [, turn_id, receipt_id] = /^output:(?:(t\d+)\/)?(r\d+)$/.exec(path) ?? [];
  return receipt_id === undefined ? null : { turn_id: turn_id ?? null, receipt_id };
}

/** `output/t3/r7`; null for any other key. */
export function outputKey(key: string): OutputPlace | null {
  const [, turn_id, receipt_id] = /^output\/(t\d+)\/(r\d+)$/.exec(key) ?? [];
  return turn_id === undefined || receipt_id === undefined ? null : { turn_id, receipt_id };
}

/** @throws {AgentError} `tool`: `not_found` for a receipt that there is not, `expired` for an output that is gone. */
export async function keptText(
  place: OutputPlace,
  { outputs, context, name }: { outputs: KeptOutputs; context: ToolContext; name: string },
): Promise<string> {
  const found = await outputs.find(place, context);
  if (typeof found === "object") return found.text;
  if (found === "expired") {
    throw refusal("expired", `expired: the output behind ${printable(name)} is no longer kept. Run the call again.`);
  }
  throw refusal("not_found", `There is no output ${printable(name)}: ${whereOf(place)} has no such receipt.`);
}

const whereOf = ({ turn_id }: OutputPlace): string => (turn_id === null ? "this turn" : `turn ${turn_id}`);

/** Where nothing is kept. */
export const NO_OUTPUTS: KeptOutputs = Object.freeze({ find: async () => "unknown" as const });

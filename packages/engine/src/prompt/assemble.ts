import type { Message, SystemMessage } from "@smith/contract/message";

/** Blocks in their fixed order, empty ones dropped, joined by one blank line. */
export const assemblePrompt = (blocks: readonly string[]): string =>
  blocks
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .join("\n\n");

/**
 * The transcript with exactly one system message, first: prepended where there is none, kept (the same array) where it
 * is equal, replaced where it differs. The input is never changed.
 */
export function seedSystem(history: readonly Message[], prompt: string): readonly Message[] {
  const first = history[0];
  const system: SystemMessage = { role: "system", content: prompt };
  if (first?.role !== "system") return [system, ...history];
  return first.content === prompt ? history : [system, ...history.slice(1)];
}

import { editDistance } from "@smith/contract/edit-distance";

/** The candidate that a typo most likely meant: at most a third of its letters differ. Null when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const away = editDistance(word, candidate);
    if (away < bestDistance) [best, bestDistance] = [candidate, away];
  }
  return best !== null && bestDistance <= Math.max(2, Math.floor(best.length / 3)) ? best : null;
}

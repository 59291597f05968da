const TOLD = 3;
const LEAST_LIKENESS = 0.35;

/** Those of the keys that resemble the wanted one, the likest first. */
export const nearest = (wanted: string, keys: readonly string[]): readonly string[] =>
  keys
    .map((key) => ({ key, likeness: likeness(wanted.toLowerCase(), key.toLowerCase()) }))
    .filter((each) => each.likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || (a.key < b.key ? -1 : 1))
    .slice(0, TOLD)
    .map(({ key }) => key);

/** Share of the letter pairs that two texts have in common, 0 to 1; 1 when one begins with the other. */
function likeness(a: string, b: string): number {
  if (a !== "" && b !== "" && (a.startsWith(b) || b.startsWith(a))) return 1;
  const [ofA, ofB] = [pairsOf(a), pairsOf(b)];
  const shared = [...ofA].filter((pair) => ofB.has(pair)).length;
  return (2 * shared) / Math.max(1, ofA.size + ofB.size);
}

const pairsOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));

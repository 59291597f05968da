/** Texts whose words are as often as those of people: a few everywhere, most of them seldom. The same each time. */
export interface Writing {
  /** Of the message `n`, counted from 0. */
  text(n: number): string;
  /** Of all texts so far. */
  bytes(): number;
  /** Words to look for, by how many messages have them. */
  words(count: number): Readonly<Record<"rare" | "middling" | "common" | "two", readonly string[]>>;
}

const VOCABULARY = 50_000;
/** In as many messages as are still weighed against each other. */
const MIDDLING_HITS = 20_000;

export function createWriting(messages: number): Writing {
  const random = createRandom(1);
  const word = (n: number): string => `w${n.toString(36)}`;
  let bytes = 0;
  const step = Math.max(1, Math.ceil(messages / MIDDLING_HITS));
  return {
    text(n) {
      const words = Array.from({ length: 20 + Math.floor(random() * 120) }, () =>
        word(Math.floor(VOCABULARY ** random())),
      );
      if (n % step === 0) words.push("middling", `part${n % (step * 40)}`);
      const text = words.join(" ");
      bytes += Buffer.byteLength(text);
      return text;
    },
    bytes: () => bytes,
    words: (count) => ({
      rare: Array.from({ length: count }, (_, n) => word(1_000 + n * 7)),
      middling: Array.from({ length: count }, () => "middling"),
      common: Array.from({ length: count }, (_, n) => word(1 + n)),
      two: Array.from({ length: count }, (_, n) => `middling ${word(1 + n)}`),
    }),
  };
}

/** Numbers from 0 up to 1 (Lehmer). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

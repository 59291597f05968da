/** How a platform whose messages can be edited is written to. */
export interface LiveWire {
  /** Returns the id of the message. */
  send(text: string): Promise<string>;
  edit(id: string, text: string): Promise<void>;
}

export interface Live {
  progress(line: string): void;
  /** Puts the answer in place of the progress. @throws what sending throws. */
  finish(pieces: readonly string[]): Promise<void>;
}

/** Ms before a first sign of life, so that a quick answer is one message; and between two of them. */
const FIRST_MS = 3000;
const EVERY_MS = 3000;

/** One message that tells what goes on while an answer is made, and then becomes its beginning. */
export function createLive({ send, edit }: LiveWire, { first_ms = FIRST_MS, every_ms = EVERY_MS } = {}): Live {
  let id: string | null = null;
  let [latest, shown] = ["", ""];
  let timer: NodeJS.Timeout | null = null;
  let work: Promise<void> = Promise.resolve();
  const show = async (): Promise<void> => {
    const text = `${latest}…`;
    if (text === shown) return;
    shown = text;
    if (id === null) id = await send(text);
    else await edit(id, text);
  };
  const arm = (ms: number) => {
    timer = setTimeout(() => {
      timer = null;
      work = work.then(show).catch(() => {}); // a sign of life that can't be shown is none; the answer is what counts
    }, ms);
    timer.unref();
  };
  return Object.freeze({
    progress(line: string) {
      latest = line;
      if (timer === null) arm(id === null ? first_ms : every_ms);
    },
    async finish([first = "", ...rest]: readonly string[]) {
      clearTimeout(timer ?? undefined);
      await work;
      const shownAt = id;
      const isPut =
        shownAt !== null &&
        (await edit(shownAt, first).then(
          () => true,
          () => false,
        ));
      for (const piece of isPut ? rest : [first, ...rest]) await send(piece);
    },
  });
}

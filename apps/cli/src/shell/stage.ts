import type { AgentEvent } from "@smith/contract/event";
import type { Key, Screen } from "@smith/terminal";

/** What has the whole terminal, and all keys, until it is left. */
export interface FullView {
  onKey(key: Key): void;
  onEvent(event: AgentEvent): void;
  /** All rows of the screen, as they are now. */
  rows(): readonly string[];
}

/** Makes a view. @param changed draws it anew. @param done leaves it. */
export type MakeView = (changed: () => void, done: () => void) => Promise<FullView>;

/** Where a view stands in place of prompt and output; one at a time. */
export interface Stage {
  isOpen(): boolean;
  /** Resolves when the view is left again. While one stands, or is on its way, another is not opened. */
  open(make: MakeView): Promise<void>;
  onKey(key: Key): void;
  onEvent(event: AgentEvent): void;
  draw(): void;
  /** Leaves the view, whichever it is. */
  close(): void;
}

/** @param onClosed draws what stood there before. */
export function createStage(screen: Pick<Screen, "full">, onClosed: () => void): Stage {
  /** Keys that came while the view was on its way. */
  let early: Key[] | null = null;
  let view: FullView | null = null;
  let finish = (): void => {};
  const isOpen = () => early !== null || view !== null;
  const draw = () => {
    if (view !== null) screen.full(view.rows());
  };
  const close = () => {
    if (!isOpen()) return;
    early = view = null;
    screen.full(null);
    finish();
    onClosed();
  };
  return Object.freeze({
    isOpen,
    async open(make: MakeView) {
      if (isOpen()) return;
      const mine: Key[] = [];
      early = mine;
      const left = new Promise<void>((resolve) => {
        finish = resolve;
      });
      try {
        const made = await make(draw, close);
        if (early !== mine) return; // left before it came
        early = null;
        view = made;
        draw();
        for (const key of mine) if (view === made) made.onKey(key);
      } catch (thrown) {
        close();
        throw thrown;
      }
      await left;
    },
    onKey(key: Key) {
      if (view !== null) view.onKey(key);
      else if (key.type === "key" && key.name === "ctrl-c")
        close(); // it takes too long
      else early?.push(key);
    },
    onEvent: (event: AgentEvent) => view?.onEvent(event),
    draw,
    close,
  });
}

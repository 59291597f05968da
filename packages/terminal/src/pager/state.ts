import type { PagerPlace, PagerSection } from "./pages.ts";
import { START } from "./pages.ts";

/** What is asked of whoever runs the pager, once, by the key that was pressed last. */
export type PagerEffect = { readonly type: "quit" } | { readonly type: "copy"; readonly text: string };

/** A text that is paged, and where in it one is. */
export interface PagerFrame {
  readonly title: string;
  readonly sections: readonly PagerSection[];
  /** The first row in view. */
  readonly top: PagerPlace;
  /** The section that Enter opens and y copies. */
  readonly focus: number;
  /** The row that was found last. */
  readonly hit: PagerPlace | null;
}

/** How sections are broken into rows. */
export interface Manner {
  readonly columns: number;
  /** The source as it is, instead of Markdown drawn. */
  readonly raw: boolean;
}

export interface PagerState {
  /** What is in view; those below it come back by Backspace. */
  readonly frames: readonly [PagerFrame, ...PagerFrame[]];
  readonly raw: boolean;
  readonly numbers: boolean;
  readonly statusRow: boolean;
  /** What is looked for; empty: nothing yet. */
  readonly pattern: string;
  /** The pattern that is being typed; null: none is. */
  readonly typing: string | null;
  /** How the places in the frames were counted; null: nothing was laid out yet. */
  readonly laidOut: Manner | null;
  /** A word to the user, until the next key. */
  readonly said: string;
  readonly effect: PagerEffect | null;
}

export interface PagerDocument {
  readonly title: string;
  readonly sections: readonly PagerSection[];
}

export const openFrame = ({ title, sections }: PagerDocument): PagerFrame => ({
  ...{ title, sections, top: START, focus: 0, hit: null },
});

export const createPager = (document: PagerDocument): PagerState => ({
  ...{ frames: [openFrame(document)], raw: false, numbers: false, statusRow: true },
  ...{ laidOut: null, pattern: "", typing: null, said: "", effect: null },
});

export const frameOf = ({ frames }: PagerState): PagerFrame => frames[0];

export const withFrame = (state: PagerState, change: Partial<PagerFrame>): PagerState => ({
  ...state,
  frames: [{ ...state.frames[0], ...change }, ...state.frames.slice(1)],
});

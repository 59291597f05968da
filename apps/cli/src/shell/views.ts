import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import type { MakeView } from "./stage.ts";
import type { Look } from "./terminal.ts";

export interface ViewsPorts {
  readonly look: Look;
  readonly host: CommandHost;
  /** What goes on besides the view; empty: nothing. */
  news(): string;
}

/** What a view is of, besides the words for where there is no terminal. */
export type Shown = NonNullable<CommandAnswer["view"]>;

/** The view that an answer, or a key, asks for. What draws it is loaded when it is first wanted. */
export const makeView =
  (shown: Shown, text: string, { look, host, news }: ViewsPorts): MakeView =>
  async (changed, done) => {
    const { pagedText, pagedTranscript, viewPager } = await import("./pager-view.ts");
    const paged = shown.kind === "transcript" ? pagedTranscript(host) : pagedText(shown.title, text);
    return viewPager(paged, { look, news, copy: look.screen.copy })(changed, done);
  };

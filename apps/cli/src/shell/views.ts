import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import { clipboardText } from "@smith/terminal";
import type { EditedText } from "./external-editor.ts";
import type { MakeView } from "./stage.ts";
import type { Look } from "./terminal.ts";

export interface ViewsPorts {
  readonly look: Look;
  readonly host: CommandHost;
  /** What goes on besides the view; empty: nothing. */
  news(): string;
  /** Opens a text in the user's editor. */
  edit(text: string, name: string): Promise<EditedText>;
}

/** What a view is of, besides the words for where there is no terminal. */
export type Shown = NonNullable<CommandAnswer["view"]>;

/** The view that an answer, or a key, asks for. What draws it is loaded when it is first wanted. */
export const makeView =
  (shown: Shown, text: string, { look, host, news, edit }: ViewsPorts): MakeView =>
  async (changed, done) => {
    const ports = { look, news, copy: (text: string) => void look.screen.send(clipboardText(text)) };
    if (shown.kind === "inspect") {
      const { viewInspect } = await import("./inspect-view.ts");
      return viewInspect({ ...ports, host, edit })(changed, done);
    }
    const { pagedText, pagedTranscript, viewPager } = await import("./pager-view.ts");
    const paged = shown.kind === "text" ? pagedText(shown.title, text) : pagedTranscript(host);
    return viewPager(paged, ports)(changed, done);
  };

import type { CommandHost } from "@smith/contract/command";
import type { AgentEvent } from "@smith/contract/event";
import { type TranscriptMessage, textOf } from "@smith/contract/message";
import {
  createInspect,
  createLayOut,
  drawInspect,
  type InspectEffect,
  inView,
  type Key,
  loadMarkdown,
  type PagerSize,
  pressInspect,
  refitPager,
  reloadInspect,
  tellInspect,
} from "@smith/terminal";
import type { EditedText } from "./external-editor.ts";
import { createReload, hasGrown, type PagerPorts } from "./pager-view.ts";
import type { FullView, MakeView } from "./stage.ts";
import { messageOf } from "./take-line.ts";

export interface InspectPorts extends PagerPorts {
  readonly host: Pick<CommandHost, "inspect">;
  /** Opens a text in the user's editor. */
  edit(text: string, name: string): Promise<EditedText>;
}

/** The stored messages of the session, to look at, edit and delete. */
export const viewInspect =
  ({ look, news, copy, host: { inspect }, edit }: InspectPorts): MakeView =>
  async (changed, done) => {
    const { screen, theme, unicode } = look;
    const [found, drawMarkdown] = await Promise.all([inspect.read(), loadMarkdown(theme)]);
    const layOut = createLayOut({ theme, unicode, drawMarkdown });
    const size = (): PagerSize => ({ ...screen.size(), layOut });
    let state = createInspect(found);
    let isBusy = false;
    let readings = 0;
    /** Of readings side by side the one that began last is shown. */
    const readAnew = async () => {
      const mine = ++readings;
      const read = await inspect.read();
      if (mine === readings) state = reloadInspect(state, read);
      return "";
    };
    const reload = createReload(async () => {
      await readAnew();
      changed();
    });
    /** Does one thing after the other: what is asked for meanwhile was asked of another list. */
    const run = async (work: () => Promise<string>) => {
      if (isBusy) return;
      isBusy = true;
      const worked = await outcomeOf(work);
      isBusy = false;
      const read = await outcomeOf(readAnew);
      const told = [worked.text, read.text].filter((text) => text !== "").join("; ");
      state = tellInspect(state, told, worked.isFault || read.isFault);
      changed();
    };
    const doEffect = (effect: InspectEffect) => {
      switch (effect.type) {
        case "quit":
          return done();
        case "copy":
          return copy(effect.text);
        case "reload":
          return void run(async () => "");
        case "take_back":
          return void run(async () => `taken back: ${(await inspect.takeBack()) ?? "nothing"}`);
        case "remove":
          return void run(async () => deletedText(await inspect.remove(effect.row.seq, effect.row.message)));
        case "edit":
          return void run(() => editRow(effect.row, { inspect, edit }));
        default:
          return effect satisfies never;
      }
    };
    return Object.freeze<FullView>({
      onKey(key: Key) {
        state = pressInspect(state, key, size());
        const { effect } = state;
        if (effect !== null) doEffect(effect);
        if (effect?.type !== "quit") changed();
      },
      onEvent(event: AgentEvent) {
        if (hasGrown(event) && !isBusy) reload();
      },
      rows() {
        const fitted = state.open === null ? null : refitPager(state.open, size());
        state = inView({ ...state, open: fitted }, size());
        return drawInspect(state, size(), { theme, unicode, news: news() });
      },
    });
  };

/** What came of it, for the status row: its text, or why it failed. */
const outcomeOf = (work: () => Promise<string>): Promise<{ readonly text: string; readonly isFault: boolean }> =>
  work().then(
    (text) => ({ text, isFault: false }),
    (thrown: unknown) => ({ text: messageOf(thrown), isFault: true }),
  );

const deletedText = (seqs: readonly number[]): string =>
  seqs.length <= 4 ? `deleted ${seqs.join(", ")}` : `deleted ${seqs.length} messages, ${seqs[0]} to ${seqs.at(-1)}`;

async function editRow(
  { seq, message }: { readonly seq: number; readonly message: TranscriptMessage },
  { inspect, edit }: Pick<InspectPorts, "edit"> & Pick<CommandHost, "inspect">,
): Promise<string> {
  const before = textOf(message.content);
  // Editors end the last line; a text without that end keeps none.
  const edited = await edit(before.endsWith("\n") ? before : `${before}\n`, "message.md");
  if (edited === null) return "left as it was";
  if ("fault" in edited) throw new Error(edited.fault);
  const text = before.endsWith("\n") ? edited.text : edited.text.replace(/\n$/, "");
  if (text === before) return "left as it was";
  await inspect.edit(seq, message, text);
  return `edited ${seq}`;
}

import { readLine } from "@smith/commands";
import type { AgentEvent } from "@smith/contract/event";
import type { Runtime, Started } from "@smith/runtime";
import { type History, openHistory, safeText, statusWord } from "@smith/terminal";
import { brief } from "./brief.ts";
import { createCompleter } from "./completer.ts";
import { editedArgs } from "./edit-args.ts";
import type { EditedText } from "./external-editor.ts";
import { createInput, type Input } from "./input.ts";
import { createLeaving, type Leaving } from "./leaving.ts";
import { createLineQueue, type LineQueue } from "./line-queue.ts";
import { createProgressView } from "./progress-view.ts";
import { createQuestion, type Question } from "./question.ts";
import { createRainView } from "./rain-view.ts";
import { readShortcuts } from "./shortcuts.ts";
import { createStage, type Stage } from "./stage.ts";
import { messageOf, takeLine } from "./take-line.ts";
import type { Look } from "./terminal.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { createView } from "./view.ts";
import { makeView, type Shown } from "./views.ts";

/** Everything between keys, runtime and screen. */
export interface Desk extends Pick<Leaving, "leave" | "interrupt" | "cancel"> {
  readonly look: Look;
  readonly input: Input;
  readonly question: Question;
  readonly stage: Stage;
  readonly queue: LineQueue;
  readonly transcript: Transcript;
  /** What a configured key does; false: the key is none of them. */
  onShortcut(name: string): boolean;
  /** What can't be taken of the configured keys. */
  readonly faults: readonly string[];
  onEvent(event: AgentEvent): void;
  draw(): void;
  /** Prints a line as it was typed. */
  echo(line: string): void;
  /** Prints a word of our own. */
  tell(text: string): void;
  take(line: string): Promise<void>;
  /** Learns the model's window for the prompt; says so where there is no model. */
  learnModel(): Promise<void>;
  /** The code to leave with; null: nobody leaves. */
  code(): number | null;
}

export interface DeskOptions {
  readonly runtime: Runtime;
  readonly look: Look;
  readonly cwd: string;
  /** Opens a text in the user's editor, as a file of that name. */
  editText(text: string, name: string, signal?: AbortSignal): Promise<EditedText>;
}

export async function createDesk(
  { runtime, look, cwd, editText }: DeskOptions,
  { services, host }: Started,
): Promise<Desk> {
  const { ui } = services.config.effective();
  const shortcuts = readShortcuts(ui.keys);
  const view = createView({ ...look, host, cwd });
  const history = await openProjectHistory({ services, host });
  const queue = createLineQueue();
  const rain = createRainView(look);
  const isBusy = () => runtime.busy();
  const draw = () => {
    if (leaving.code() !== null) return;
    rain.follow(progress.shown().status, stage.isOpen() || question.asker() !== undefined);
    if (stage.isOpen()) return stage.draw();
    const parts = { editor: input.editor(), question, pending: transcript.pending(), waiting: queue.waiting() };
    view.draw({ ...parts, ...progress.shown(question.asker()), hint: leaving.hint(), isStill: rain.isActive() });
  };
  const transcript = createTranscript({ ...look, showReasoning: ui.show_reasoning, cwd, onPrinted: () => draw() });
  const progress = createProgressView(draw);
  const leaving: Leaving = createLeaving({
    isBusy,
    cancelTurn: (reason) => void runtime.cancel(reason),
    takeBackLines: () => input.giveBack(queue.takeBack()),
    draw,
    onLeave() {
      rain.stop();
      stage.close();
      progress.stop();
      queue.close();
    },
    exitNow: (code) => exitNow(look, code),
  });
  const stage: Stage = createStage(look.screen, draw);
  const news = () => {
    const { status } = progress.shown(question.asker());
    return status.waiting === "" && status.activity === "idle" ? "" : status.waiting || statusWord(status);
  };
  const editMessage = async (text: string, name: string): Promise<EditedText> =>
    isBusy()
      ? { fault: "a turn is running; wait for it, or cancel it first" } // before somebody writes what can't be taken
      : transcript.pause(() => editText(text, name));
  const show = (shown: Shown, text = "") => stage.open(makeView(shown, text, { look, host, news, edit: editMessage }));
  const open = (shown: Shown) => void show(shown).catch((thrown) => fail(thrown));
  const fail = (thrown: unknown) => transcript.say(look.theme.error(safeText(messageOf(thrown))));
  const tell = (text: string) => transcript.say(look.theme.dim(safeText(text)));
  const question: Question = createQuestion({
    ...{ theme: look.theme, unicode: look.unicode, changed: draw, tell, interrupt: leaving.interrupt },
    escape: () => leaving.cancel("escape"),
    edit: async (text, signal) =>
      editedArgs(text, await transcript.pause(() => editText(text, "arguments.json", signal))),
  });
  const take = async (line: string) => {
    const exit = await takeLine(line, {
      ...{ runtime, look, cwd, mode: host.session.mode, say: transcript.say, show },
      draft: (text) => input.giveBack(text === "" ? [] : [text]),
    });
    if (!isBusy()) progress.stop();
    if (exit !== null) return leaving.leave(exit);
    if ("command" in readLine(line)) progress.useWindow(await windowOf(runtime)); // it may have switched the model
  };
  const steer = (line: string) => {
    if (runtime.steer(line)) tell(`${look.unicode ? "→" : "->"} ${brief(line)}`);
  };
  const submit = (text: string) => {
    if (text.trim() === "") return;
    if (!holdsSecret(text)) void history.add(text).catch(() => {}); // history is a comfort: losing a line stops nothing
    if (isBusy() && text.trimStart().startsWith(">")) steer(text.trimStart().slice(1).trim());
    else if (isBusy() && "command" in readLine(text)) void take(text);
    else queue.add(text);
  };
  const input: Input = createInput(history.entries(), {
    ...{ completer: createCompleter(host), submit, isBusy, interrupt: leaving.interrupt, changed: draw },
    escape: () => leaving.cancel("escape"),
    leave: () => leaving.leave(0),
    clearScreen: look.screen.clear,
  });
  return Object.freeze({
    ...{ look, input, question, stage, queue, transcript, draw, tell, take, faults: shortcuts.faults },
    ...{ leave: leaving.leave, interrupt: leaving.interrupt, cancel: leaving.cancel, code: leaving.code },
    echo: (line: string) => transcript.say(`${view.prompt(progress.shown())}${safeText(brief(line))}`),
    onEvent(event: AgentEvent) {
      progress.onEvent(event);
      transcript.onEvent(event);
      stage.onEvent(event);
    },
    onShortcut(name: string) {
      const wanted = shortcuts.of(name);
      if (wanted === null || name === "ctrl-c" || name === "escape") return false; // those two do more
      if (wanted === "cancel") leaving.cancel(name);
      else open({ kind: wanted });
      return true;
    },
    async learnModel() {
      try {
        progress.useWindow((await runtime.model()).context_window);
        draw();
      } catch (thrown) {
        fail(thrown); // told now, not only with the first line
      }
    },
  });
}

const openProjectHistory = ({ services, host }: Pick<Started, "services" | "host">): Promise<History> =>
  openHistory({
    load: () => services.persistence.history.load(host.session.project()),
    append: (line) => services.persistence.history.append(host.session.project(), line),
  });

const windowOf = (runtime: Runtime): Promise<number | null> =>
  runtime.model().then(
    ({ context_window }) => context_window,
    () => null, // the next turn tells why there is none
  );

function exitNow({ screen }: Look, code: number): void {
  screen.close();
  process.stdin.setRawMode(false);
  process.exit(code);
}

/** Lines that set a key are not kept in the history. */
const holdsSecret = (text: string): boolean =>
  /^\s*\/.*(api_key(?!_env)|token|password|[?&]\w*key=|:\/\/[^\s/]+@)/i.test(text);

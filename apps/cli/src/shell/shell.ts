import { readLine } from "@smith/commands";
import type { CancelAccount } from "@smith/contract/dispatch";
import type { AgentEvent } from "@smith/contract/event";
import type { Processed, Runtime, Started } from "@smith/runtime";
import {
  accountRows,
  createScreen,
  createTheme,
  IDLE_STATUS,
  openHistory,
  readKeys,
  reduceStatus,
  safeText,
  startSpinner,
  wrap,
} from "@smith/terminal";
import { brief } from "./brief.ts";
import { createCompleter } from "./completer.ts";
import { createInput } from "./input.ts";
import { createLineQueue } from "./line-queue.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { stopSelf } from "./stop-self.ts";
import { createTranscript } from "./transcript.ts";
import { createView } from "./view.ts";

export interface ShellOptions {
  readonly runtime: Runtime;
  readonly colour: boolean;
  readonly cwd: string;
  /** Lines to begin with. */
  readonly greeting: readonly string[];
}

/** How long a second Ctrl-C counts as "leave", ms. */
const TWICE_MS = 2000;

/** The shell on a terminal. Resolves to the exit code when the user leaves. */
export async function runShell(options: ShellOptions): Promise<number> {
  const { runtime } = options;
  const started = await runtime.start();
  const desk = await createDesk(options, started);
  const keys = readKeys(process.stdin, {
    onKey(key) {
      if (key.type === "key" && key.name === "ctrl-z") stopSelf({ screen: desk.screen, keys });
      else desk.input.onKey(key);
    },
    onEnd: () => desk.leave(129),
  });
  const unsubscribe = runtime.subscribe(desk.onEvent);
  process.stdout.on("resize", desk.draw);
  process.on("SIGINT", desk.interrupt);
  process.on("SIGTERM", () => desk.leave(143));
  process.on("SIGHUP", () => desk.leave(129));
  for (const line of options.greeting) desk.transcript.say(line);
  desk.draw();
  void desk.learnModel();
  for await (const line of desk.queue) {
    desk.echo(line);
    if (line.trimStart().startsWith("!")) {
      const ended = await runInTerminal(line.trimStart().slice(1), { screen: desk.screen, keys, cwd: options.cwd });
      if (ended !== "") desk.tell(ended);
    } else await desk.take(line);
    if (desk.hasLeft()) break; // lines typed ahead are not played once somebody leaves
    desk.transcript.say(""); // what belongs to one line stands apart from the next
    await desk.transcript.idle();
    desk.draw();
  }
  unsubscribe();
  process.stdout.off("resize", desk.draw);
  await desk.transcript.idle();
  keys.close();
  desk.screen.close();
  return desk.exitCode();
}

/** Everything between keys, runtime and screen. */
async function createDesk({ runtime, colour, cwd }: ShellOptions, { services, host }: Started) {
  const { ui } = services.config.effective();
  const unicode = speaksUnicode();
  const theme = createTheme({ colour: colour && ui.theme !== "none", kind: ui.theme === "auto" ? "dark" : ui.theme });
  const screen = createScreen({ out: terminal(), crlf: true, dumb: process.env["TERM"] === "dumb" });
  const view = createView({ screen, theme, unicode, host, cwd });
  const history = await openHistory({
    load: () => services.persistence.history.load(host.session.project()),
    append: (line) => services.persistence.history.append(host.session.project(), line),
  });
  const queue = createLineQueue();
  const transcript = createTranscript({
    screen,
    theme,
    unicode,
    showReasoning: ui.show_reasoning,
    cwd,
    onPrinted: () => draw(),
  });
  const spinner = { stop: () => {} };
  let status = IDLE_STATUS;
  let window: number | null = null;
  let code: number | null = null;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  let hint = "";

  const isBusy = () => runtime.currentTurn() !== null;
  const draw = () => {
    if (code !== null) return;
    view.draw({
      editor: input.editor(),
      status,
      pending: transcript.pending(),
      waiting: queue.waiting(),
      hint,
      window,
    });
  };
  /** For whoever can't wait until what runs has stopped. */
  const exitNow = (exit: number): never => {
    screen.close();
    process.stdin.setRawMode(false);
    process.exit(exit);
  };
  const leave = (exit: number) => {
    if (code !== null) return;
    spinner.stop();
    code = exit;
    void runtime.cancel("leaving");
    queue.close();
  };
  const interrupt = () => {
    if (code !== null) exitNow(code);
    const now = performance.now();
    if (now - interruptedAt < TWICE_MS) return leave(130);
    interruptedAt = now;
    if (isBusy()) cancel("ctrl-c");
    else warn("(Ctrl-C again leaves, or Ctrl-D)");
  };
  /** Lines typed ahead were meant for a turn that would go on: they come back to be looked at again. */
  const cancel = (reason: string) => {
    void runtime.cancel(reason);
    input.giveBack(queue.takeBack());
  };
  const warn = (text: string) => {
    hint = text;
    setTimeout(() => {
      hint = "";
      draw();
    }, TWICE_MS).unref();
    draw();
  };
  const answered = ({ answer }: Extract<Processed, { kind: "command" }>) => {
    if (answer.say !== "")
      transcript.say(answer.ok === false ? theme.error(safeText(answer.say)) : safeText(answer.say));
    if (answer.exit !== undefined) leave(answer.exit);
  };
  /** Two lines, whole: this is where the user learns what was going on. */
  const tellAccount = (account: CancelAccount) => {
    const lines = accountRows(account, cwd, { columns: Number.MAX_SAFE_INTEGER, theme, unicode });
    for (const row of lines.flatMap((line) => wrap(line, screen.size().columns, "  "))) transcript.say(row);
  };
  const take = async (line: string): Promise<void> => {
    try {
      const processed = await runtime.processInput(line);
      if (processed.kind === "command") return answered(processed);
      const { cancel: account } = processed.result;
      if (account !== null) tellAccount(account);
    } catch (thrown) {
      // A turn that may not begin, or a refused command, ends the line, not the shell.
      spinner.stop();
      status = { ...status, activity: "idle", started_at: null, children: [] };
      transcript.say(theme.error(safeText(messageOf(thrown))));
    }
  };
  const submit = (text: string) => {
    if (text.trim() === "") return;
    if (!holdsSecret(text)) void history.add(text).catch(() => {}); // history is a comfort: losing a line stops nothing
    if (isBusy() && text.trimStart().startsWith(">")) steer(text.trimStart().slice(1).trim());
    else if (isBusy() && "command" in readLine(text)) void take(text);
    else queue.add(text);
  };
  const steer = (line: string) => {
    if (runtime.steer(line)) transcript.say(theme.dim(`${unicode ? "→" : "->"} ${safeText(brief(line))}`));
  };
  const input = createInput(history.entries(), {
    ...{ completer: createCompleter(host), submit, interrupt, isBusy, changed: draw },
    escape: () => void (isBusy() && cancel("escape")),
    leave: () => leave(0),
    clearScreen: screen.clear,
  });
  const onEvent = (event: AgentEvent) => {
    status = reduceStatus(status, event);
    transcript.onEvent(event);
    if (event.source_role === undefined && event.type === "turn_started") spinner.stop = startSpinner(draw).stop;
    if (event.source_role === undefined && event.type === "turn_persisted") spinner.stop();
    // What streams is drawn with the spinner: ten times a second is enough.
    if (event.type !== "llm_text_delta" && event.type !== "llm_reasoning_delta") draw();
  };
  return {
    ...{ screen, transcript, queue, input, draw, leave, interrupt, take, onEvent },
    echo: (line: string) => transcript.say(`${view.prompt({ status, window })}${safeText(brief(line))}`),
    tell: (text: string) => transcript.say(theme.dim(safeText(text))),
    hasLeft: () => code !== null,
    exitCode: () => code ?? 0,
    async learnModel() {
      try {
        window = (await runtime.model()).context_window;
        draw();
      } catch (thrown) {
        transcript.say(theme.error(safeText(messageOf(thrown)))); // told now, not only with the first line
      }
    },
  };
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** stdout as the screen writes to it. */
const terminal = () => ({
  write: (text: string) => process.stdout.write(text),
  columns: () => process.stdout.columns,
  rows: () => process.stdout.rows,
  isTty: true,
  onDrain: (again: () => void) => void process.stdout.once("drain", again),
});

/** By the locale, as programs do; without one it is taken for granted. */
const speaksUnicode = (): boolean => {
  const locale = process.env["LC_ALL"] || process.env["LC_CTYPE"] || process.env["LANG"];
  return locale === undefined || locale === "" || /utf-?8/i.test(locale);
};

/** Lines that set a key are not kept in the history. */
const holdsSecret = (text: string): boolean => /^\s*\/.*(api_key(?!_env)|token|password)/i.test(text);

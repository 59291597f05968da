import type { Runtime } from "@smith/runtime";
import { type Key, type Keys, safeLine, wrap } from "@smith/terminal";
import type { Asker } from "./asker.ts";
import { createDesk, type Desk, type DeskOptions } from "./desk.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { stopSelf } from "./stop-self.ts";
import { openTerminal } from "./terminal.ts";

export interface ShellOptions {
  readonly runtime: Runtime;
  /** Through which the runtime asks. */
  readonly asker: Asker;
  readonly colour: boolean;
  readonly cwd: string;
  /** Lines to begin with. */
  greet(): Promise<readonly string[]>;
}

/** The shell on a terminal. Resolves to the exit code when the user leaves. */
export async function runShell(options: ShellOptions): Promise<number> {
  const { runtime, asker, cwd, colour } = options;
  const started = await runtime.start();
  const terminal = openTerminal({ colour, ui: started.services.config.effective().ui });
  const { keys, look } = terminal;
  const { screen } = look;
  process.once("exit", screen.close); // however it ends
  const greeting = await options.greet(); // while the terminal tells of itself
  const editText: DeskOptions["editText"] = async (text, name, signal) => {
    const place = { screen, keys, cwd };
    return (await import("./external-editor.ts")).editText(text, name, { place, ...(signal && { signal }) });
  };
  const desk = await createDesk({ ...options, look, editText }, started);
  asker.answerBy(desk.question.ask);
  const unsubscribe = runtime.subscribe(desk.onEvent);
  process.stdout.on("resize", desk.draw);
  process.on("SIGINT", desk.interrupt);
  process.on("SIGTERM", () => desk.leave(143));
  process.on("SIGHUP", () => desk.leave(129));
  const said = [...desk.faults.map((fault) => safeLine(`smith: ${fault}`)), ...greeting];
  for (const line of said.flatMap((each) => wrap(each, screen.size().columns, ""))) desk.transcript.say(line);
  desk.draw();
  terminal.readBy({ onKey: (key) => onKey(key, desk, keys), onTold: desk.draw, onEnd: () => desk.leave(129) });
  void desk.learnModel();
  for await (const line of desk.queue) {
    await play(line, { desk, keys, cwd });
    if (desk.code() !== null) break; // lines typed ahead are not played once somebody leaves
    desk.transcript.say(""); // what belongs to one line stands apart from the next
    await desk.transcript.idle();
    desk.draw();
  }
  unsubscribe();
  process.stdout.off("resize", desk.draw);
  await desk.transcript.idle();
  keys.close();
  screen.close();
  return desk.code() ?? 0;
}

function onKey(key: Key, desk: Desk, keys: Keys): void {
  const name = key.type === "key" ? key.name : "";
  if (name === "ctrl-z") stopSelf({ screen: desk.look.screen, keys });
  else if (name !== "" && desk.onShortcut(name)) return;
  else if (desk.stage.isOpen()) desk.stage.onKey(key);
  else if (!desk.question.onKey(key)) desk.input.onKey(key);
}

interface Place {
  readonly desk: Desk;
  readonly keys: Keys;
  readonly cwd: string;
}

async function play(line: string, { desk, keys, cwd }: Place): Promise<void> {
  desk.echo(line);
  const typed = line.trimStart();
  if (!typed.startsWith("!")) return desk.take(line);
  const ended = await runInTerminal(typed.slice(1), { screen: desk.look.screen, keys, cwd });
  if (ended !== "") desk.tell(ended);
}

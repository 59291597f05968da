import type { Runtime } from "@smith/runtime";
import { safeText } from "@smith/terminal/safe";
import type { Args } from "./args.ts";
import { modelLine } from "./model-line.ts";
import { enterConversation } from "./resume.ts";
import { setUp, workingDirectory } from "./setup.ts";
import { type Asker, createAsker } from "./shell/asker.ts";

/** The shell: on a terminal with an editor and a live screen, else line by line. Returns the exit code. */
export async function repl(args: Args): Promise<number> {
  const asks = isTerminal() && process.env["TERM"] !== "dumb";
  const asker = createAsker();
  const runtime = setUp(args, {}, asks ? { confirm: asker.confirm } : {});
  const said: string[] = [];
  const { notices, host } = await runtime.start();
  // A guard that could not be loaded is told before anything is typed.
  const texts = [...notices.map(({ text }) => text), ...(await host.plugins.warnings())];
  said.push(...texts.map((text) => `smith: ${safeText(text)}`));
  await host.plugins.ready().catch(async (thrown: unknown) => {
    await runtime.close();
    throw thrown;
  });
  await enterConversation(args, runtime, { say: (line) => void said.push(line), interactive: isTerminal() });
  const code = await (asks ? onTerminal : lineByLine)({ args, runtime, asker, said });
  await runtime.close();
  return code;
}

interface Shell {
  readonly args: Args;
  readonly runtime: Runtime;
  readonly asker: Asker;
  /** Lines that came up before the shell opened. */
  readonly said: readonly string[];
}

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** `--no-color`, `NO_COLOR` or `TERM=dumb`: no colour. */
const useColour = (args: Args): boolean => args.color && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

async function onTerminal({ args, runtime, asker, said }: Shell): Promise<number> {
  const { runShell } = await import("./shell/shell.ts");
  return runShell({
    runtime,
    asker,
    colour: useColour(args),
    cwd: workingDirectory(args.cwd),
    greet: async () => [...said, ...(await hello(runtime)), "/help lists commands, Ctrl-D leaves."],
  });
}

/** Which model answers and why; in a home that is new, what to know before the first line. */
async function hello(runtime: Runtime): Promise<readonly string[]> {
  const [model, { services }] = await Promise.all([runtime.model().catch(() => null), runtime.start()]);
  const first = model === null ? "smith." : `smith: ${modelLine(model)}.`; // the shell says why there is none
  // A home that can't be written is no new one each time.
  if (!(await services.persistence.config.once("welcome").catch(() => false))) return [first];
  const { welcome } = await import("./shell/welcome.ts");
  return [first, ...welcome(model)];
}

/** In a pipe, and on a terminal that can't move its cursor: that one edits and echoes lines itself. */
async function lineByLine({ args, runtime, said }: Shell): Promise<number> {
  const lines = isTerminal() ? [...said, ...(await hello(runtime))] : said;
  for (const line of lines) process.stderr.write(`${line}\n`);
  const { runLineShell } = await import("./shell/line-shell.ts");
  return runLineShell({ runtime, level: args.logLevel, prompt: isTerminal() ? "> " : "" });
}

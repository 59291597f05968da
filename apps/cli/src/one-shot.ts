import type { TurnResult } from "@smith/contract/turn";
import type { TurnInput } from "@smith/runtime";
import { safeText } from "@smith/terminal/safe";
import type { Args } from "./args.ts";
import type { Attached } from "./attachments.ts";
import { exitCodeOf } from "./exit-code.ts";
import { modelLine } from "./model-line.ts";
import { createProgress, isTold } from "./progress.ts";
import { conversationOf } from "./resume.ts";
import { setUp, workingDirectory } from "./setup.ts";
import { watchSignals } from "./signals.ts";
import { readStdin } from "./stdin.ts";
import { UsageError } from "./usage-error.ts";

/** Model calls of a one-shot, unless configured otherwise. */
const MAX_ROUNDS = 100;

/** Said after a turn in mode `plan`. */
const PLANNED = 'mode plan: nothing was changed. smith -c --mode full -p "carry it out" does what was planned.';

type Say = (line: string) => void;

/** One turn: the answer on stdout, progress on stderr. Returns the exit code. */
export async function oneShot(args: Args): Promise<number> {
  const signals = watchSignals();
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const runtime = setUp(args, { max_rounds: MAX_ROUNDS });
  const [input, { notices, services }] = await Promise.all([inputOf(args, say), runtime.start()]);
  for (const { level, text } of notices) if (isTold(level, args.logLevel)) say(`smith: ${safeText(text)}`);
  const model = modelLine(await runtime.model());
  const begun = runtime.subscribe(() => {
    begun(); // told with the first event: a turn that is refused before (a missing key) is one line
    say(`smith: ${model}`);
  });
  runtime.subscribe(createProgress({ colour: useColour(args), level: args.logLevel, write: say }));
  if (args.output === "jsonl") runtime.subscribe((event) => process.stdout.write(`${JSON.stringify(event)}\n`));

  const conversation_id = await conversationOf(args, runtime, say);
  signals.onCancel((reason) => void runtime.cancel(reason)); // until here there was nothing to cancel: a signal ended the process
  const result = await runtime.run(input, conversation_id === null ? {} : { conversation_id });
  printResult(result, args.output);
  if (result.error !== null && result.stop_reason === "error") say(`smith: ${safeText(result.error.message)}`);
  if (services.config.effective().mode === "plan" && result.stop_reason === "completed") say(`smith: ${PLANNED}`);
  await runtime.close();
  return exitCodeOf(result, signals.exitCode());
}

/** The prompt with the files it names, then what was piped in. In piped text an @ names nothing: it may be anybody's. */
async function inputOf(args: Args, say: Say): Promise<TurnInput> {
  const given = typeof args.print === "string" ? args.print : null;
  const attached = given?.includes("@") === true ? await attachTo(given, args) : null;
  const piped = args.stdin ? await readStdin({ patient: given === null }) : { text: null };
  if ("notice" in piped && piped.notice !== undefined) say(`smith: ${piped.notice}`);
  const parts = [attached?.text ?? given, piped.text].filter((part) => part !== null && part.trim() !== "");
  if (parts.length > 0) return { text: parts.join("\n\n"), images: attached?.images ?? [] };
  throw new UsageError(
    '-p got an empty prompt. Give one, as in smith -p "what is in this repository?", or pipe it in.',
  );
}

async function attachTo(prompt: string, args: Args): Promise<Attached> {
  const { attach } = await import("./attachments.ts");
  const attached = await attach(prompt, workingDirectory(args.cwd));
  if (attached.faults.length > 0) throw new UsageError(attached.faults.join(" "));
  return attached;
}

function printResult(result: TurnResult, output: Args["output"]): void {
  if (output === "text") {
    const text = process.stdout.isTTY ? safeText(result.text) : result.text;
    if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    return;
  }
  const { messages: _never, ...printed } = result;
  process.stdout.write(`${JSON.stringify(printed)}\n`);
}

/** `--no-color`, `NO_COLOR`, `TERM=dumb` or a stream that is no terminal: no colour. */
export const useColour = (args: Args): boolean =>
  args.color && process.stderr.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { TurnResult } from "@smith/contract/turn";
import { createRuntime, findPaths, loadConfig, overrideLayer, type Runtime } from "@smith/runtime";
import { safeText } from "@smith/terminal";
import type { Args } from "./args.ts";
import { createProgress } from "./progress.ts";
import { watchSignals } from "./signals.ts";
import { readStdin } from "./stdin.ts";
import { UsageError } from "./usage-error.ts";

const ONE_SHOT_ROUNDS = 100;

/** One turn: the answer on stdout, progress on stderr. Returns the exit code. */
export async function oneShot(args: Args): Promise<number> {
  const signals = watchSignals();
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const cwd = workingDirectory(args.cwd);
  const [prompt, config] = await Promise.all([promptOf(args, say), configOf(args)]);
  const runtime = await createRuntime({
    cwd,
    env: process.env,
    config,
    database: findPaths(process.env).database,
    ...(args.model === undefined ? {} : { model: args.model }),
  });
  signals.onCancel(runtime.cancel);
  const { model, api_url, source } = runtime.model;
  for (const notice of runtime.notices) say(`smith: ${notice.text}`);
  say(`smith: ${model} at ${api_url} (${source === "override" ? "--model" : source})`);
  runtime.subscribe(createProgress({ colour: useColour(args), level: args.logLevel, write: say }));
  if (args.output === "jsonl") runtime.subscribe((event) => process.stdout.write(`${JSON.stringify(event)}\n`));

  const conversation_id = await conversationOf(args, runtime, say);
  const result = await runtime.run(prompt, conversation_id === null ? {} : { conversation_id });
  printResult(result, args.output);
  if (result.error !== null && result.stop_reason === "error") say(`smith: ${safeText(result.error.message)}`);
  await runtime.close();
  return exitCode(result, signals.exitCode());
}

function workingDirectory(wanted: string | undefined): string {
  const cwd = resolve(wanted ?? process.cwd());
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return cwd;
  throw new UsageError(
    `--cwd ${cwd}: ${stat === undefined ? "there is no such folder" : "it is no folder"}. Name one.`,
  );
}

function configOf(args: Args) {
  const file = args.config === undefined ? undefined : resolve(args.config);
  const flags = overrideLayer(args.set);
  return loadConfig({
    user_file: file ?? findPaths(process.env).user_config,
    must_exist: file !== undefined,
    ephemeral: {
      max_rounds: ONE_SHOT_ROUNDS,
      ...flags,
      ...(args.maxRounds === undefined ? {} : { max_rounds: args.maxRounds }),
    },
  }).then((loaded) => loaded.effective);
}

async function promptOf(args: Args, say: (line: string) => void): Promise<string> {
  const given = typeof args.print === "string" ? args.print : null;
  const piped = args.stdin ? await readStdin({ patient: given === null }) : { text: null };
  if ("notice" in piped && piped.notice !== undefined) say(`smith: ${piped.notice}`);
  const parts = [given, piped.text].filter((part) => part !== null && part.trim() !== "");
  if (parts.length > 0) return parts.join("\n\n");
  throw new UsageError(
    '-p got an empty prompt. Give one, as in smith -p "what is in this repository?", or pipe it in.',
  );
}

async function conversationOf(args: Args, runtime: Runtime, say: (line: string) => void): Promise<string | null> {
  const wanted = args.continue === true ? "latest" : args.resume;
  if (wanted === undefined) return null;
  const id = await runtime.findConversation(wanted);
  if (id === null && args.continue === true)
    say("smith: there is no conversation to go on with here; starting a new one.");
  return id;
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
const useColour = (args: Args): boolean =>
  args.color && process.stderr.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

const EXIT: Readonly<Record<TurnResult["stop_reason"], number>> = {
  completed: 0,
  error: 1,
  budget_exhausted: 3,
  cancelled: 130,
};

const exitCode = (result: TurnResult, bySignal: number | null): number =>
  result.stop_reason === "cancelled" ? (bySignal ?? EXIT.cancelled) : EXIT[result.stop_reason];

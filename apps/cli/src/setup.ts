import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Confirm } from "@smith/contract/confirm";
import { createRuntime, findPaths, type Layer, overrideLayer, type Runtime, type RuntimeOptions } from "@smith/runtime";
import type { Args } from "./args.ts";
import { UsageError } from "./usage-error.ts";

/** What a door brings beside its flags. */
export interface Door {
  /** Asks the user in mode `ask`; absent: nobody can be asked. */
  readonly confirm?: Confirm;
  readonly services?: NonNullable<RuntimeOptions["services"]>;
}

/** The runtime that the flags describe. Nothing is opened yet, but what can be checked without is. */
export function setUp(args: Args, defaults: Layer = {}, { confirm, services }: Door = {}): Runtime {
  const cwd = workingDirectory(args.cwd);
  const paths = findPaths(process.env);
  const frame = args.systemPrompt === undefined ? undefined : promptFile(args.systemPrompt);
  return createRuntime({
    cwd: () => cwd,
    async expand(line) {
      if (!line.includes("@")) return line;
      const { faults, ...attached } = await (await import("./attachments.ts")).attach(line, cwd);
      return { ...attached, notices: faults };
    },
    env: process.env,
    config: flagLayer(args),
    defaults,
    user_file: args.config === undefined ? paths.user_config : resolve(args.config),
    user_folder: dirname(paths.user_config),
    must_exist: args.config !== undefined,
    database: paths.database,
    ...(args.model === undefined ? {} : { model: args.model }),
    ...(confirm === undefined ? {} : { confirm }),
    services: { ...services, prompt: { ...services?.prompt, ...(frame === undefined ? {} : { frame }) } },
  });
}

export function workingDirectory(wanted: string | undefined): string {
  const cwd = resolve(wanted ?? here());
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return cwd;
  throw new UsageError(
    `--cwd ${cwd}: ${stat === undefined ? "there is no such folder" : "it is no folder"}. Name one.`,
  );
}

function here(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError("the working directory is gone. Change to one that exists, or pass --cwd DIR.");
  }
}

/** Flags that are configuration: above every file. */
function flagLayer(args: Args): Layer {
  const named: Record<string, unknown> = {
    active_role: args.role,
    mode: args.mode,
    effort: args.effort,
    max_rounds: args.maxRounds,
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...overrideLayer(args.set), ...given };
}

function promptFile(path: string): string {
  try {
    return readFileSync(resolve(path), "utf8");
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    throw new UsageError(`--system-prompt ${path}: can't be read (${code}). Name a readable text file.`);
  }
}

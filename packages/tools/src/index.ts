import type { AnyTool } from "@smith/contract/tool";
import { type BackgroundCommands, createBackgroundCommands } from "./background.ts";
import { createBash } from "./bash.ts";
import { createCodeTools } from "./code/tools.ts";
import type { Confine } from "./confine.ts";
import { createEdit } from "./edit.ts";
import { createGit } from "./git/git.ts";
import { createHostTools } from "./host/tools.ts";
import { type KeptOutputs, NO_OUTPUTS } from "./kept-output.ts";
import { createProcesses, type Processes } from "./process.ts";
import { createRead } from "./read.ts";
import type { WebOptions } from "./web/options.ts";
import { createWebTools } from "./web/tools.ts";
import { createWrite } from "./write.ts";

export { filesBelow } from "./code/below.ts";
export { findRipgrep } from "./code/ripgrep.ts";
export { neutralEnvironment } from "./git/neutral.ts";
export type { KeptOutputs, OutputPlace } from "./kept-output.ts";
export { createMemoryTools } from "./memory/tools.ts";
export { plannedHash } from "./planned.ts";
export { type Put, putFile } from "./put-file.ts";
export { hashBytes, hashText } from "./text-file.ts";
export type { FetchBackend, FetchedPage, SearchAnswer, SearchBackend, SearchHit, SearchQuery } from "./web/options.ts";

export interface ToolOptions {
  /** Which file tools stay inside the project root (or cwd) and the temp folder: those that write, all, or none. */
  readonly confine: Confine;
  /** Seconds a command may take when the call does not say; above 0, at most 600. */
  readonly bash_timeout_s: number;
  /** Names of environment variables that children must not see. */
  readonly scrub_env: readonly string[];
  /** Names of variables that env_get masks whatever they are called; default: those of `scrub_env`. */
  readonly secret_env?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The outputs that `read` finds; absent: none. */
  readonly outputs?: KeptOutputs;
  /** How the web tools reach out; absent: public addresses only, the search service by the environment. */
  readonly web?: Omit<WebOptions, "env">;
  /** Where process_list looks; default /proc. */
  readonly proc?: string;
}

export interface BuiltinTools {
  readonly tools: readonly AnyTool[];
  /** Ends every process that a command left running. Call it when the session ends; the tools stay usable. */
  dispose(): Promise<void>;
}

/** What commands of a session have in common, however often its tools are made anew. */
export interface CommandGround {
  readonly processes: Processes;
  readonly background: BackgroundCommands;
}

export function createCommandGround(): CommandGround {
  const processes = createProcesses();
  return Object.freeze({ processes, background: createBackgroundCommands(processes, Date.now) });
}

/** The tools that touch the machine: bash, read, write, edit, the code tools, git, the web tools and those of the host. */
export function createBuiltinTools(options: ToolOptions, ground: CommandGround = createCommandGround()): BuiltinTools {
  const { processes, background } = ground;
  const env = childEnvironment(options);
  const bash = createBash({ processes, background, timeout_s: options.bash_timeout_s, env });
  return Object.freeze({
    tools: Object.freeze([
      bash,
      createRead(options.confine, options.outputs ?? NO_OUTPUTS),
      createWrite(options.confine),
      createEdit(options.confine),
      ...createCodeTools({ confine: options.confine, env }),
      createGit({ env }),
      ...createWebTools({ allow_private: false, ...options.web, env: options.env }),
      ...createHostTools({
        confine: options.confine,
        env: options.env,
        secret_env: options.secret_env ?? options.scrub_env,
        ...(options.proc === undefined ? {} : { proc: options.proc }),
      }),
    ]),
    dispose: processes.dispose,
  });
}

/** No keys, no pager, no terminal tricks. */
function childEnvironment({ env, scrub_env }: ToolOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !scrub_env.includes(name));
  return { ...Object.fromEntries(kept), PAGER: "cat", GIT_PAGER: "cat", TERM: "dumb" };
}

import type { Step } from "@smith/testkit";
import type { TreeKind } from "./big-tree.ts";
import type { Growth } from "./growth.ts";

/** What one process came to. */
export interface Run {
  /** From the start of the process to its end. */
  readonly wall_ms: number;
  /** From the end of each answer to the whole arrival of the next request; of a tool, the time of each call. */
  readonly rounds_ms: readonly number[];
  /** Largest resident size of the process itself, 1 MB = 1024 KB; null where the system does not tell. */
  readonly rss_mb: number | null;
  /** User and system time of the process itself, the tools it ran not counted. */
  readonly cpu_ms: number | null;
  /** Why this run does not count; null when it did all it should. */
  readonly fault: string | null;
}

/** Smith beside bare node: two command lines, each of which must exit with 0. */
export interface CommandContest {
  readonly beside: "node";
  readonly smith_args: readonly string[];
  readonly node_args: readonly string[];
}

/** Smith beside the minimal loop: the same prompt, the same scripted model. */
export interface PromptContest {
  readonly beside: "minimal";
  readonly prompt: string;
  /** Neither draws: in place of Smith runs its adapter with the event bus alone, and the loop prints at its end. */
  readonly undrawn?: boolean;
  /** Works in a repository of this many committed files; absent: in an empty one. */
  readonly tracked_files?: number;
  /** Called in the server's process, before each run. */
  steps(): readonly Step[];
  /** The whole of what must be on stdout in the end, but for blanks at its end. Called in the bench's process. */
  printed(): string;
}

/** One tool of Smith beside the bare system calls that do the same, each in a process of its own, many times over. */
export interface ToolContest {
  readonly beside: "bare";
  readonly tool: ToolWork;
}

export const TOOL_WORKS = ["read", "edit", "bash"] as const;
export type ToolWork = (typeof TOOL_WORKS)[number];

/** A tool of Smith's beside plain ripgrep, in a tree of files; only the call is timed, not what starts around it. */
export interface SearchContest {
  readonly beside: "rg";
  readonly tree: TreeKind;
  readonly files: number;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How often it is called in one process; the last call counts. */
  readonly times: number;
  /** What it must find, by its own count. */
  readonly found: number;
  readonly rg_args: readonly string[];
  /** Lines that rg must print. */
  readonly rg_found: number;
}

/** One row of the table: a file in `benchmarks/` and a line in `list.ts`. */
export interface Benchmark {
  /** What `--only` and the table call it. */
  readonly name: string;
  /** What the figure is, with its unit; stands in the table. */
  readonly measured: string;
  readonly contest: CommandContest | PromptContest | ToolContest | SearchContest;
  /** Set where it is measured at several sizes: the table tells how the figure grows. */
  readonly growth?: Growth;
  /** The figure of a run that counts; less is better. */
  figure(run: Run): number;
}

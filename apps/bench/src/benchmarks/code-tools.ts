import type { Benchmark, Run, SearchContest } from "../benchmark.ts";
import { NEEDLE } from "../big-tree.ts";

/*
 * The code tools beside plain ripgrep on the same tree. What they must keep to: code_grep 1.5 times rg and 60 ms;
 * code_files 400 ms, again 150; code_symbols, of a name that every file holds, 4 s, again 150 ms.
 */

const FILES = 50_000;
const SOURCES = 2000;

const figure = ({ rounds_ms }: Run): number => rounds_ms[0] ?? Number.NaN;

const text = { beside: "rg", tree: "text", files: FILES } as const;
const files: SearchContest = {
  ...{ ...text, tool: "code_files", args: { query: "file4999" }, times: 1, found: 11 },
  ...{ rg_args: ["--files"], rg_found: FILES },
};
const code = { beside: "rg", tree: "code", files: SOURCES } as const;
const symbols: SearchContest = {
  ...{ ...code, tool: "code_symbols", args: { query: "makeThing" }, times: 1, found: SOURCES * 8 },
  ...{ rg_args: ["-n", "function makeThing"], rg_found: SOURCES * 8 },
};

export const codeTools: readonly Benchmark[] = [
  {
    name: "grep-50k",
    measured: "code_grep, 1,000 hits in 50,000 files, ms",
    contest: {
      ...{ ...text, tool: "code_grep", args: { pattern: NEEDLE, max_results: 1000 }, times: 1, found: 1000 },
      ...{ rg_args: ["-n", NEEDLE], rg_found: 1000 },
    },
    figure,
  },
  { name: "files-50k", measured: "code_files of 50,000 paths, ms", contest: files, figure },
  { name: "files-50k-again", measured: "the same, called again, ms", contest: { ...files, times: 2 }, figure },
  { name: "symbols-2k", measured: "code_symbols, a name in each of 2,000 files, ms", contest: symbols, figure },
  { name: "symbols-2k-again", measured: "the same, called again, ms", contest: { ...symbols, times: 2 }, figure },
];

import type { Benchmark, Run, ToolWork } from "../benchmark.ts";
import { median } from "../median.ts";

const tool = (name: string, measured: string, work: ToolWork): Benchmark => ({
  ...{ name, measured },
  contest: { beside: "bare", tool: work },
  figure: (run: Run) => median(run.rounds_ms),
});

/** A page from the middle, the hash and the line count of the whole file. */
export const read1mb = tool("read-1mb", "`read` of 2,000 lines in a file of 1 MB, ms a call", "read");
/** One line replaced, the file flushed and renamed. */
export const edit1mb = tool("edit-1mb", "`edit` of one line in a file of 1 MB, ms a call", "edit");
export const bashCall = tool("bash", "`bash` with the command `true`, ms a call", "bash");

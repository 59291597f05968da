import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkCancelled } from "@smith/contract/cancel";
import type { ToolOutcome } from "@smith/contract/tool";
import { errnoOf, printable } from "../fault.ts";
import type { HostOptions, ProcessArguments } from "./options.ts";
import { type Secrets, secretsOf } from "./secrets.ts";

const MAX_COMMAND = 200;

/** One line a process: pid, name and command line, with tabs between; no secret is shown, nor found by `filter`. */
export async function listProcesses(
  { filter, max_results }: ProcessArguments,
  signal: AbortSignal,
  options: HostOptions,
): Promise<ToolOutcome> {
  const { proc = "/proc" } = options;
  const secrets = secretsOf(options);
  const pids = await pidsOf(proc);
  if (pids === null) {
    const message = `proc_unavailable: ${proc} can't be read here. Use bash: ps.`;
    return { ok: false, content: "", error: { code: "proc_unavailable", message } };
  }
  const wanted = filter?.toLowerCase() ?? "";
  const lines: string[] = [];
  let matching = 0;
  for (const pid of pids) {
    checkCancelled(signal);
    const line = await lineOf(join(proc, pid), secrets);
    if (line === null || !line.toLowerCase().includes(wanted)) continue;
    if (++matching <= max_results) lines.push(cutCommand(line));
  }
  if (matching === 0) return { ok: true, content: "no matching processes" };
  const more = matching > max_results ? [`[${matching - max_results} more; narrow them with filter]`] : [];
  return { ok: true, content: [...lines, ...more].join("\n") };
}

async function pidsOf(proc: string): Promise<readonly string[] | null> {
  try {
    const names = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
    return names.length === 0 ? null : names.sort((a, b) => Number(a) - Number(b));
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return null; // no such file system: an answer of its own
  }
}

async function lineOf(folder: string, secrets: Secrets): Promise<string | null> {
  try {
    const name = (await readFile(join(folder, "comm"), "utf8")).trimEnd();
    const args = (await readFile(join(folder, "cmdline"), "utf8")).replace(/\0+$/, "").split("\0");
    return [basename(folder), printable(name), printable(secrets.lineOf(args))].join("\t");
  } catch {
    return null; // it ended meanwhile
  }
}

function cutCommand(line: string): string {
  const [pid = "", name = "", command = ""] = line.split("\t");
  return `${pid}\t${name}\t${command.slice(0, MAX_COMMAND).toWellFormed()}`;
}

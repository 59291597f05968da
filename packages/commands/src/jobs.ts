import { type Command, misuse, say } from "./command.ts";

/** `/jobs`. */
export const jobs: Command = {
  name: "jobs",
  summary: "the jobs and background commands of this session: running ones, and what the others came to",
  usage: [""],
  example: "jobs",
  doors: ["slash"],
  async run({ words }, host) {
    if (words.length > 0) return misuse(jobs);
    const rows = host.jobs.list();
    const commands = host.jobs.background();
    const data = { jobs: rows, background: commands };
    if (rows.length + commands.length === 0)
      return say("No job was handed out yet, and no command runs in the background.", data);
    const lines = [
      ...rows.map(({ job_id, role, status, tool, elapsed_ms, task }) =>
        row(`${job_id}  ${role.padEnd(8)}`, tool === null ? status : `${status}: ${tool}`, elapsed_ms, task),
      ),
      ...commands.map(({ name, command, status, elapsed_ms }) => row(`${name}  bash    `, status, elapsed_ms, command)),
    ];
    return say(lines.join("\n"), data);
  },
};

const row = (who: string, doing: string, elapsedMs: number, what: string): string =>
  `${who}  ${doing.padEnd(16)}  ${(elapsedMs / 1000).toFixed(1)} s  ${firstLine(what)}`;

const firstLine = (text: string): string => {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
};

import { type Command, say } from "./command.ts";

/** `/jobs`. */
export const jobs: Command = {
  name: "jobs",
  summary: "the jobs of this session: running ones, and what the others came to",
  usage: [""],
  example: "jobs",
  doors: ["slash"],
  async run(_call, host) {
    const rows = host.jobs.list();
    if (rows.length === 0) return say("No job was handed out yet.", rows);
    const lines = rows.map(({ job_id, role, status, tool, elapsed_ms, task }) => {
      const doing = tool === null ? status : `${status}: ${tool}`;
      return `${job_id}  ${role.padEnd(8)}  ${doing.padEnd(16)}  ${(elapsed_ms / 1000).toFixed(1)} s  ${firstLine(task)}`;
    });
    return say(lines.join("\n"), rows);
  },
};

const firstLine = (text: string): string => {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
};

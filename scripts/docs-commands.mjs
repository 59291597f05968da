// Writes docs/COMMANDS.md: every command, from the table.
// usage: node scripts/docs-commands.mjs [--check]   --check writes nothing and exits 1 when the file is not current
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fromSource } from "./from-source.mjs";

const root = resolve(import.meta.dirname, "..");
const target = join(root, "docs", "COMMANDS.md");

const head = `# Commands

<!-- Made by scripts/docs-commands.mjs from the table of packages/commands: change that, then run the script. -->

One table feeds the shell (\`/name\`) and the command line (\`smith name\`). In the shell a line is a command when its first
word is a slash and a name; any other line goes to the model. Tab completes names and what follows them. On the command line
every list has \`--json\`, and every command \`--help\`. Commands of your own: [USER_COMMANDS.md](USER_COMMANDS.md).

`;

/** The table as the shell has it, whatever was built or not. */
async function readCommands() {
  const module = await fromSource("commands", 'export { COMMANDS } from "./table.ts";');
  return module.COMMANDS;
}

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll("|", "\\|");
const prefixes = { slash: "/", cli: "smith " };

function entry({ name, aliases = [], summary, usage, example, doors, flags = [] }) {
  const named = doors.map((door) => [name, ...aliases].map((each) => code(prefixes[door] + each)).join(", "));
  const prefix = prefixes[doors[0]];
  const lines = [...new Set(usage)].map((line) => `${prefix}${name} ${line}`.trim());
  return [
    `## ${name}`,
    `${summary[0].toUpperCase()}${summary.slice(1)}. ${named.join(" and ")}.`,
    `\`\`\`text\n${lines.join("\n")}\n\`\`\``,
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    `Example: ${code(prefix + example)}`,
  ].join("\n\n");
}

const flagTable = (flags) =>
  [
    "| flag | |",
    "|---|---|",
    ...flags.map(
      ({ name, value, description }) =>
        `| ${code(`--${name}${value === undefined ? "" : ` ${value}`}`)} | ${cell(description)} |`,
    ),
  ].join("\n");

const text = `${head}${(await readCommands()).map(entry).join("\n\n")}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write("docs/COMMANDS.md is not what the table says. Run: node scripts/docs-commands.mjs\n");
  process.exitCode = 1;
}

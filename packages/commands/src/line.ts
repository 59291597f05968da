import type { CommandAnswer, CommandHost } from "@smith/contract/command";
import { nearest } from "@smith/contract/edit-distance";
import { type Command, type CommandCall, explainMisuse, misuse, usageOf } from "./command.ts";
import { COMMANDS, findCommand } from "./table.ts";
import { expandCommand } from "./user-files.ts";

/** A line is a command when its whole first word looks like one; `/usr/lib/x.so` is text for the model. */
const COMMAND = /^\/([A-Za-z][A-Za-z0-9_-]*)$/;

/** A typed line, taken apart: a command's name and words, or text for the model. */
export type Line = { readonly command: string; readonly rest: string } | { readonly text: string };

export function readLine(line: string): Line {
  const trimmed = line.trimStart();
  const [first = ""] = trimmed.split(/\s/, 1);
  const name = COMMAND.exec(first)?.[1];
  return name === undefined ? { text: line } : { command: name, rest: trimmed.slice(first.length).trim() };
}

/** Runs a slash command. An unknown one is answered here; the model never sees it. */
export async function runSlash(name: string, rest: string, host: CommandHost): Promise<CommandAnswer> {
  const command = findCommand(name, "slash");
  if (command === undefined) return await runWritten(name, rest, host);
  const call = takeFlags(splitWords(rest), command);
  const answer = "say" in call ? call : await command.run({ ...call, typed: rest }, host);
  return explainMisuse(answer, { call: `/${name} ${rest}`.trim(), bare: rest === "", help: `/help ${command.name}` });
}

/** A command that a user wrote is a turn: its prompt with the arguments in it. */
async function runWritten(name: string, rest: string, host: CommandHost): Promise<CommandAnswer> {
  const { commands, warnings } = await host.user_commands.list();
  const found = commands.find((command) => command.name === name);
  if (found === undefined)
    return unknown(
      name,
      commands.map((command) => command.name),
      warnings,
    );
  const { body, model, role, mode } = found;
  return { say: "", turn: { text: expandCommand(body, rest, splitWords(rest)), model, role, mode } };
}

/** A file of this name that could not be taken says why. */
function unknown(name: string, written: readonly string[], warnings: readonly string[]): CommandAnswer {
  const why = warnings.find((warning) => [" ", ":"].some((next) => warning.includes(`/${name}.md${next}`)));
  if (why !== undefined) return { ok: false, say: why };
  const own = COMMANDS.filter((command) => command.doors.includes("slash")).map((command) => command.name);
  const known = [...own, ...written];
  const near = nearest(name.toLowerCase(), known) ?? known.find((each) => each.startsWith(name));
  return {
    ok: false,
    say: `unknown command /${name}.${near === undefined ? "" : ` Did you mean /${near}?`} /help lists them.`,
  };
}

/** Words are parted by blanks; one pair of quotes keeps blanks together. */
export function splitWords(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

/** Parts flags from words; an unknown flag or a missing value is an answer that says so. */
export function takeFlags(words: readonly string[], command: Command): CommandCall | CommandAnswer {
  const flags: Record<string, string | true> = {};
  const left: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      left.push(...words.slice(at + 1)); // what follows is no flag, whatever it looks like
      break;
    }
    if (!word.startsWith("--")) {
      left.push(word);
      continue;
    }
    const [name = "", ...more] = word.slice(2).split("=");
    const inline = more.length === 0 ? undefined : more.join("=");
    const spec = command.flags?.find((flag) => flag.name === name);
    if (spec === undefined) return misuse(command, `${command.name} has no flag --${name}. ${usageOf(command)}`);
    const value = spec.value === undefined ? true : (inline ?? words[++at]);
    if (value === undefined) return misuse(command, `--${name} needs a value (${spec.value}). ${usageOf(command)}`);
    flags[name] = value;
  }
  return { words: left, flags };
}

export type Words = readonly string[] | Promise<readonly string[]>;

/** A command as completion sees it. */
export interface CompletionCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Words for the last of `words`, which is what is typed of it so far, maybe nothing. */
  complete?(words: readonly string[]): Words;
}

/** Where candidates come from. A source that throws or rejects has none. */
export interface CompletionSources {
  commands(): readonly CompletionCommand[];
  configPaths?(): Words;
  models?(): Words;
  roles?(): Words;
  /** Ids or names of conversations. */
  conversations?(): Words;
  /** Paths below the working directory, with `/`. */
  files?(): Words;
}

/** What may stand in place of the last word of a text. */
export interface Completion {
  /** The text it is for. */
  readonly text: string;
  /** Its last word, as typed. */
  readonly typed: string;
  /** Best first: shortest, then by alphabet; files by how well they match. */
  readonly words: readonly string[];
}

/** Files offered for one pattern. */
const FILES_MAX = 50;

/** Completions of a text whose cursor is at its end: of a slash command and its arguments, or of `@file` in any text. */
export async function complete(text: string, sources: CompletionSources): Promise<Completion> {
  const typed = /(?<=^|[\s(])@"[^"\n]*$/.exec(text)?.[0] ?? /\S*$/.exec(text)?.[0] ?? "";
  if (typed.startsWith("@")) return { text, typed, words: await files(typed.slice(1), sources) };
  const line = text.trimStart();
  if (!line.startsWith("/") || line.includes("\n")) return { text, typed, words: [] };
  const tokens = line.split(/[ \t]+/);
  const candidates = tokens.length === 1 ? commandNames(sources) : await argumentsOf(tokens, sources);
  const words = candidates.filter((word) => word.startsWith(typed));
  return { text, typed, words: [...new Set(words)].sort(shortestFirst) };
}

/** What each word adds to what is typed, one blank appended; words that do not begin with it add nothing and are left out. */
export const suffixes = ({ typed, words }: Completion): readonly string[] =>
  words.filter((word) => word.startsWith(typed)).map((word) => `${word.slice(typed.length)} `);

const shortestFirst = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : Number(a > b));

const commandNames = (sources: CompletionSources): readonly string[] =>
  commandsOf(sources).flatMap(({ name, aliases }) => [name, ...(aliases ?? [])].map((each) => `/${each}`));

async function argumentsOf(tokens: readonly string[], sources: CompletionSources): Promise<readonly string[]> {
  const [first = "", ...words] = tokens;
  const name = first.slice(1);
  const command = commandsOf(sources).find((each) => each.name === name || each.aliases?.includes(name) === true);
  if (command === undefined) return [];
  if (command.complete !== undefined) return ask(() => command.complete?.(words));
  return ask(() => ARGUMENTS[command.name]?.(words, sources));
}

type Source = (words: readonly string[], sources: CompletionSources) => Words | undefined;

const alone =
  (source: Source): Source =>
  (words, sources) =>
    words.length === 1 ? source(words, sources) : [];

const conversations = alone((_words, sources) => sources.conversations?.());

/** For commands that bring no completion of their own. */
const ARGUMENTS: Readonly<Record<string, Source>> = {
  config: (words, sources) =>
    words.length === 1 ? ["get", "set", "unset"] : words.length === 2 ? sources.configPaths?.() : [],
  model: alone((_words, sources) => sources.models?.()),
  role: alone((_words, sources) => sources.roles?.()),
  resume: conversations,
  rename: conversations,
  load: conversations,
  save: conversations,
};

function commandsOf(sources: CompletionSources): readonly CompletionCommand[] {
  try {
    return sources.commands();
  } catch {
    return []; // a failing source has no candidates
  }
}

async function ask(source: () => Words | undefined): Promise<readonly string[]> {
  try {
    return (await source()) ?? [];
  } catch {
    return []; // a failing source has no candidates
  }
}

/** `@path`, or `@"a path"` where it holds a blank or was begun so. */
async function files(typed: string, sources: CompletionSources): Promise<readonly string[]> {
  const isQuoted = typed.startsWith('"');
  const pattern = isQuoted ? typed.slice(1) : typed;
  const paths = await ask(() => sources.files?.());
  const ranked = [...new Set(paths)].flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), pattern.toLowerCase());
    return rank === null || /["\n]/.test(path) ? [] : [{ path, rank }]; // these can't be written as `@file`
  });
  ranked.sort((a, b) => a.rank - b.rank || shortestFirst(a.path, b.path));
  return ranked.slice(0, FILES_MAX).map(({ path }) => (isQuoted || /\s/.test(path) ? `@"${path}"` : `@${path}`));
}

/** How well a path fits: its beginning, its name's beginning, a part of its name, a part, the letters in order; null: not. */
function rankOf(path: string, pattern: string): number | null {
  if (path.startsWith(pattern)) return 0;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  if (name.startsWith(pattern)) return 1;
  if (name.includes(pattern)) return 2;
  if (path.includes(pattern)) return 3;
  let at = -1;
  for (const char of pattern) {
    at = path.indexOf(char, at + 1);
    if (at < 0) return null;
  }
  return 4;
}

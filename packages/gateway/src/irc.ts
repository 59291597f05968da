/** One line of IRC as Twitch sends it. */
export interface IrcLine {
  readonly tags: ReadonlyMap<string, string>;
  /** Who sent it, without the host; empty for the server's own. */
  readonly nick: string;
  readonly command: string;
  readonly params: readonly string[];
}

const LINE = /^(?:@(?<tags>\S+) +)?(?::(?<prefix>\S+) +)?(?<command>[A-Za-z]+|\d{3})(?<rest>.*)$/s;

/** Null for what is no line. */
export function parseIrc(text: string): IrcLine | null {
  const found = LINE.exec(text)?.groups;
  if (found === undefined) return null;
  const { tags = "", prefix = "", command = "", rest = "" } = found;
  const at = rest.search(/(?:^| ):/);
  const head = at < 0 ? rest : rest.slice(0, at);
  const params = head.split(" ").filter((word) => word !== "");
  if (at >= 0) params.push(rest.slice(rest.indexOf(":", at) + 1));
  return {
    tags: new Map(tags.split(";").flatMap((tag) => (tag === "" ? [] : [tagOf(tag)]))),
    nick: prefix.split("!")[0] ?? "",
    command: command.toUpperCase(),
    params,
  };
}

function tagOf(tag: string): readonly [string, string] {
  const at = tag.indexOf("=");
  return at < 0 ? [tag, ""] : [tag.slice(0, at), plain(tag.slice(at + 1))];
}

const ESCAPES: Readonly<Record<string, string>> = { ":": ";", s: " ", r: "\r", n: "\n", "\\": "\\" };

const plain = (value: string): string =>
  value.replaceAll(/\\(.?)/gs, (_all, letter: string) => ESCAPES[letter] ?? letter);

/** A text that can stand in one line: line breaks and controls become blanks. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

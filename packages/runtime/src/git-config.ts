/**
 * The first `url` of `[remote "origin"]` in the text of a git configuration; null without one. Includes are not followed.
 * @see https://git-scm.com/docs/git-config#_syntax
 */
export function originIn(config: string): string | null {
  let inOrigin = false;
  for (const line of config
    .replace(/^\ufeff/, "")
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/)) {
    const section = /^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null) inOrigin = isOrigin(section[1] ?? "", section[2]);
    const [, name = "", value = ""] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(afterSection(line, section)) ?? [];
    if (inOrigin && name.toLowerCase() === "url") {
      const url = unquoted(value);
      if (url !== "") return url;
    }
  }
  return null;
}

const afterSection = (line: string, section: RegExpExecArray | null): string => line.slice(section?.[0].length ?? 0);

/** The name of a section has no case, that of a subsection has; `[remote.origin]` is an old way to write it. */
const isOrigin = (name: string, sub: string | undefined): boolean =>
  sub === undefined ? name.toLowerCase() === "remote.origin" : name.toLowerCase() === "remote" && sub === "origin";

/** Quotes keep blanks and comment signs; outside of them a comment ends the value. */
function unquoted(text: string): string {
  let value = "";
  let kept = 0; // what must not be trimmed away
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (sign === "\\") {
      value += text[++at] ?? "";
      kept = value.length;
    } else if (!quoted && (sign === "#" || sign === ";")) break;
    else value += sign;
    if (quoted) kept = value.length;
  }
  return value.slice(0, kept) + value.slice(kept).trimEnd();
}

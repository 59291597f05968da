import { type Theme as CodeTheme, highlight, supportsLanguage } from "cli-highlight";
import type { Theme } from "./theme.ts";

/** Characters of a code block that are still highlighted; above it takes longer than a reader waits. */
export const HIGHLIGHT_MAX = 20 * 1024;

/** Code in the colours of its language; as it is without one, without colour, and above {@link HIGHLIGHT_MAX}. */
export function drawCode(code: string, info: string | undefined, theme: Theme): string {
  const language = info?.trim().split(/[\s,{]/)[0] ?? "";
  if (!theme.colour) return code;
  if (language === "" || code.length > HIGHLIGHT_MAX || !supportsLanguage(language)) return theme.code(code);
  try {
    return highlight(code, { language, ignoreIllegals: true, theme: paints(theme) });
  } catch {
    return theme.code(code); // a grammar that fails on this text costs the colours, not the code
  }
}

/** Every class has its paint here: one left out would be painted by what the library takes the terminal for. */
function paints(theme: Theme): CodeTheme {
  const { keyword, name, string, number, comment, added, removed, underline, bold, italic } = theme;
  const plain = (text: string) => text;
  return {
    ...{ keyword, literal: keyword, "selector-tag": keyword, name: keyword, tag: plain, section: bold },
    ...{ built_in: name, type: name, class: plain, function: plain, title: name, attr: name, attribute: name },
    ...{ string, regexp: string, symbol: string, link: underline, number, bullet: number, formula: number },
    ...{ comment, doctag: comment, meta: comment, quote: comment, "meta-keyword": comment, "meta-string": comment },
    ...{ addition: added, deletion: removed, emphasis: italic, strong: bold, "builtin-name": name },
    ...{ params: plain, subst: plain, variable: plain, code: plain, default: plain },
    ...{ "selector-id": name, "selector-class": name, "selector-attr": name, "selector-pseudo": name },
    ...{ "template-tag": keyword, "template-variable": plain },
  };
}

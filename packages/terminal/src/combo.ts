/**
 * A combination of keys as people write it, `ALT+h`, `Ctrl-Shift-Up`, `F4`, by the name that a key has where it is read:
 * `alt-h`, `ctrl-shift-up`, `f4`. Null: no terminal sends such a key, or it would take a letter from what is typed.
 */
export function comboOf(text: string): string | null {
  const parts = text.trim().toLowerCase().split(/[-+]/);
  const key = parts.pop() ?? "";
  const isModifier = (part: string) => MODIFIERS.includes(part);
  if (key === "" || !parts.every(isModifier) || new Set(parts).size !== parts.length) return null;
  const isFunctionKey = /^f([1-9]|1[0-2])$/.test(key);
  if (parts.length === 0 && (key === "escape" || key === "esc")) return "escape";
  if (![...key].length || (parts.length === 0 && !isFunctionKey)) return null;
  if ([...key].length > 1 && !isFunctionKey && !NAMED.includes(key)) return null;
  // A letter with Shift alone is a capital, and typed.
  if (parts.length === 1 && parts[0] === "shift" && [...key].length === 1) return null;
  if (parts.length === 1 && parts[0] === "ctrl" && AMBIGUOUS.includes(key)) return null;
  return [...MODIFIERS.filter((each) => parts.includes(each)), key].join("-");
}

/** In the order in which a key's name has them. */
const MODIFIERS: readonly string[] = ["ctrl", "alt", "shift"];

/** With Ctrl a terminal sends the same for them as for Tab, Enter, Esc, Ctrl-J and Backspace. */
const AMBIGUOUS: readonly string[] = ["i", "m", "[", "j", "h"];

const NAMED: readonly string[] = [
  ...["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"],
  ...["enter", "tab", "space", "backspace"],
];

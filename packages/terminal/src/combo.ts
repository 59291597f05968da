/**
 * A combination of keys as people write it, `ALT+h`, `Ctrl-Shift-Up`, `F4`, by the name that `Key` has for it; null: no
 * terminal sends such a key, or it would take a letter from what is typed.
 */
export function comboOf(text: string): string | null {
  const parts = text.trim().toLowerCase().split(/[-+]/);
  const key = parts.pop() ?? "";
  const isModifier = (part: string) => MODIFIERS.includes(part);
  if (key === "" || !parts.every(isModifier) || new Set(parts).size !== parts.length) return null;
  const isFunctionKey = /^f([1-9]|1[0-2])$/.test(key);
  if (![...key].length || (parts.length === 0 && !isFunctionKey)) return null;
  if ([...key].length > 1 && !isFunctionKey && !NAMED.includes(key)) return null;
  // A letter with Shift alone is a capital, and typed.
  if (parts.length === 1 && parts[0] === "shift" && [...key].length === 1) return null;
  return [...MODIFIERS.filter((each) => parts.includes(each)), key].join("-");
}

/** In the order in which a key's name has them. */
const MODIFIERS: readonly string[] = ["ctrl", "alt", "shift"];

const NAMED: readonly string[] = [
  ...["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"],
  ...["enter", "tab", "space", "backspace"],
];

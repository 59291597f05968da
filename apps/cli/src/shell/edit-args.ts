import type { EditedText } from "./external-editor.ts";

/** The arguments as they were edited; or why they can't be taken, with the text as it was left; null: left unchanged. */
export type EditedArgs = { readonly args: unknown } | { readonly fault: string; readonly text: string } | null;

/** What came of a text, JSON, in the user's editor. */
export function editedArgs(text: string, edited: EditedText): EditedArgs {
  if (edited === null) return null;
  return "fault" in edited ? { fault: edited.fault, text } : parse(edited.text);
}

function parse(text: string): EditedArgs {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args };
    return { fault: "the arguments must be one JSON object", text };
  } catch (thrown) {
    return { fault: `no valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`, text };
  }
}

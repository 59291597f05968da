import type { ChatDelta } from "@smith/contract/model";
import { isObject, textOf, type WireObject } from "./wire.ts";

/** Folds what an answer says, thinks and refuses. */
export interface TextFold {
  /** Takes the text of a delta or of a whole message. */
  add(delta: WireObject): void;
  readonly begun: boolean;
  readonly refused: boolean;
  /** Without newlines before and end marks and blanks behind. */
  content(): string;
  reasoning(): string;
}

export function createText(onDelta: ((delta: ChatDelta) => void) | null): TextFold {
  let content = "";
  let reasoning = "";
  let refused = false;
  const say = (piece: string) => {
    // Newlines before the first word are held back: they would open every answer with a gap.
    const text = content === "" ? piece.replace(/^[\r\n]+/, "") : piece;
    if (text === "") return;
    content += text;
    onDelta?.({ type: "text", text });
  };
  const think = (text: string) => {
    if (text === "") return;
    reasoning += text;
    onDelta?.({ type: "reasoning", text });
  };
  const refuse = (text: string) => {
    if (text !== "") refused = true;
    say(text);
  };
  const addPart = (part: unknown) => {
    if (!isObject(part)) return say(textOf(part));
    const { type } = part;
    if (type === "thinking" || type === "reasoning") {
      return think(thoughtOf(part["thinking"] ?? part["reasoning"] ?? part["text"]));
    }
    if (type === "refusal") return refuse(textOf(part["refusal"]));
    say(textOf(part["text"]));
  };
  return {
    add(delta) {
      // Some endpoints send the same reasoning under both names.
      think(textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]));
      const said = delta["content"];
      if (typeof said === "string") say(said);
      else if (Array.isArray(said)) for (const part of said as readonly unknown[]) addPart(part);
      refuse(textOf(delta["refusal"]));
    },
    get begun() {
      return content !== "" || reasoning !== "";
    },
    get refused() {
      return refused;
    },
    content: () => trimEnd(content),
    reasoning: () => reasoning,
  };
}

const thoughtOf = (thinking: unknown): string => {
  if (!Array.isArray(thinking)) return textOf(thinking);
  return thinking.map((part: unknown) => (isObject(part) ? textOf(part["text"]) : textOf(part))).join("");
};

const END_MARKS = ["<|im_end|>", "<|eot_id|>", "</s>"];

/** The text without the blanks and the models' own end marks behind it. */
function trimEnd(text: string): string {
  let rest = text.trimEnd();
  for (let mark = endMark(rest); mark !== undefined; mark = endMark(rest)) rest = rest.slice(0, -mark.length).trimEnd();
  return rest;
}

const endMark = (text: string): string | undefined => END_MARKS.find((mark) => text.endsWith(mark));

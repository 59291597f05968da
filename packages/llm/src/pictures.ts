import type { Message, Part, UserMessage } from "@smith/contract/message";
import type { ChatOptions } from "@smith/contract/model";
import { isBlank } from "./json.ts";

/** The pictures of a request by their hash, in base64; null for one that is not kept any more. */
export type Pictures = ReadonlyMap<string, string | null>;

/**
 * Loads the pictures of the messages that an encoder does not keep yet. Without `loadBlob` there are none: they are told
 * of by their names.
 */
export async function loadPictures(
  messages: readonly Message[],
  isKept: (message: Message) => boolean,
  loadBlob: ChatOptions["loadBlob"],
): Promise<Pictures> {
  const pictures = new Map<string, string | null>();
  if (loadBlob === undefined) return pictures;
  const fresh = messages.filter((message) => message.role === "user" && !isKept(message));
  for (const { blob } of fresh.flatMap(({ content }) => imagesOf(content))) {
    if (pictures.has(blob)) continue;
    const bytes = await loadBlob(blob);
    pictures.set(blob, bytes === null ? null : Buffer.from(bytes).toString("base64"));
  }
  return pictures;
}

type Image = Extract<Part, { type: "image" }>;

const imagesOf = (content: UserMessage["content"]): readonly Image[] =>
  typeof content === "string" ? [] : content.filter((part) => part.type === "image");

/** A piece of what a user said, as it is sent. */
export type Shown =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly media_type: string; readonly base64: string };

/** What a user said: a text where no picture can be shown, else texts and pictures in order. Nothing in it is blank. */
export function shownOf({ content }: UserMessage, pictures: Pictures): string | readonly Shown[] {
  if (typeof content === "string") return content;
  const parts = content.map((part) => shownPart(part, pictures));
  if (parts.some(({ type }) => type === "image"))
    return parts.filter((part) => part.type === "image" || !isBlank(part.text));
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function shownPart(part: Part, pictures: Pictures): Shown {
  if (part.type === "text") return part;
  const { media_type, blob } = part;
  const base64 = pictures.get(blob);
  if (typeof base64 === "string") return { type: "image", media_type, base64 };
  const why = base64 === null ? "this picture is not kept any more" : "images can't be shown to this model";
  return { type: "text", text: `[${media_type} ${blob}: ${why}]` };
}

export const dataUrl = ({ media_type, base64 }: Extract<Shown, { type: "image" }>): string =>
  `data:${media_type};base64,${base64}`;

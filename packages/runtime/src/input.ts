import { AgentError } from "@smith/contract/error";
import type { Part, UserMessage } from "@smith/contract/message";
import type { Store } from "@smith/contract/store";
import { hash16 } from "./hash.ts";
import type { ModelChoice } from "./models.ts";

export interface Picture {
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`: what every provider reads. */
  readonly media_type: string;
  readonly bytes: Uint8Array;
}

/** What a user says in a turn. */
export type TurnInput =
  | string
  | {
      readonly text: string;
      readonly images?: readonly Picture[];
      /** What the user should know of how it was read, one sentence each. */
      readonly notices?: readonly string[];
    };

/** The pictures of a session: in the store, and in memory where that can't be written. Neither method throws. */
export interface Pictures {
  keep(bytes: Uint8Array): Promise<string>;
  load(hash: string): Promise<Uint8Array | null>;
}

export function createPictures(blob: Store["blob"]): Pictures {
  const unsaved = new Map<string, Uint8Array>();
  return Object.freeze<Pictures>({
    async keep(bytes) {
      try {
        return await blob.put(bytes);
      } catch {
        const hash = hash16(bytes); // a full disk costs the saving, and the turn's end says that; not the turn
        unsaved.set(hash, bytes);
        return hash;
      }
    },
    load: async (hash) => unsaved.get(hash) ?? (await blob.get(hash).catch(() => null)),
  });
}

export const imagesOf = (input: TurnInput): readonly Picture[] =>
  typeof input === "string" ? [] : (input.images ?? []);

/** The input as a message holds it: a text, or parts when there are pictures. */
export async function contentOf(input: TurnInput, pictures: Pictures): Promise<UserMessage["content"]> {
  if (typeof input === "string") return input;
  const images = imagesOf(input);
  if (images.length === 0) return input.text;
  const parts: Part[] = input.text.trim() === "" ? [] : [{ type: "text", text: input.text }];
  for (const { media_type, bytes } of images) {
    parts.push({ type: "image", media_type, blob: await pictures.keep(bytes) });
  }
  return parts;
}

export const noImages = ({ model, provider }: ModelChoice): AgentError =>
  new AgentError({
    kind: "schema",
    code: "no_images",
    origin: "runtime/input",
    message: `${model} of ${provider} takes no images. Choose another model, or leave the pictures out.`,
  });

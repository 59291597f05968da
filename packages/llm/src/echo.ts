import type { AssistantMessage } from "@smith/contract/message";
import { isObject, type WireObject } from "./wire.ts";

/** Something of a provider's own in an answer (a signed thought), and its place between text and calls. */
export interface Kept {
  /** Characters of the answer's text before it. */
  readonly text_at: number;
  /** Calls before it. */
  readonly calls_at: number;
  readonly item: WireObject;
}

/** Whose it is: nobody else can read it. */
export interface Owner {
  readonly kind: "anthropic" | "openai_responses" | "ollama" | "ai_sdk";
  readonly provider: string;
  readonly model: string;
}

/** What a reply carries so that its message can be sent back as it came; undefined when there is nothing of the kind. */
export function keepFor(owner: Owner, kept: readonly Kept[]): Readonly<Record<string, unknown>> | undefined {
  if (kept.length === 0) return undefined;
  return { [owner.kind]: { provider: owner.provider, model: owner.model, kept } };
}

/** What a message holds for this owner, in order; another model's is left out. */
export function keptBy(owner: Owner, { provider_data }: AssistantMessage): readonly Kept[] {
  const data = provider_data?.[owner.kind];
  if (!isObject(data) || data["provider"] !== owner.provider || data["model"] !== owner.model) return [];
  const kept: readonly unknown[] = Array.isArray(data["kept"]) ? data["kept"] : [];
  return kept.flatMap((each) => (isObject(each) && isObject(each["item"]) ? [keptOf(each, each["item"])] : []));
}

const keptOf = (each: WireObject, item: WireObject): Kept => ({
  text_at: Number(each["text_at"]) || 0,
  calls_at: Number(each["calls_at"]) || 0,
  item,
});

/** The pieces of an answer in the order they came. */
export type Piece<C> = { readonly text: string } | { readonly call: C } | { readonly item: WireObject };

/**
 * An answer in pieces: text first and calls behind it, with what was kept where it stood. Without anything kept that is
 * one text and the calls.
 */
export function piecesOf<C>(text: string, calls: readonly C[], kept: readonly Kept[]): readonly Piece<C>[] {
  const pieces: Piece<C>[] = [];
  const done = { text: 0, calls: 0 };
  const advance = (toText: number, toCalls: number) => {
    const part = text.slice(done.text, toText);
    if (part !== "") pieces.push({ text: part });
    done.text = Math.max(done.text, toText);
    for (; done.calls < toCalls; done.calls++) {
      const call = calls[done.calls];
      if (call !== undefined) pieces.push({ call });
    }
  };
  for (const { text_at, calls_at, item } of kept) {
    advance(text_at, calls_at);
    pieces.push({ item });
  }
  advance(text.length, calls.length);
  return pieces;
}

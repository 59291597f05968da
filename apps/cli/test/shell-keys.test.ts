import { describe, expect, test } from "vitest";
import { conversationIn, model, place } from "./scene.ts";
import { hasTmux, openPane, type Pane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: the keys of the shell in a real terminal (tmux is not installed)");

const PROMPT = "[Smith:scripted] full ~/work ▸ ";

/** Waits until the line that is typed reads so, its cursor so many columns behind the prompt. */
async function line(pane: Pane, text: string, column: number): Promise<void> {
  const wanted = `${PROMPT}${text}`.trimEnd();
  await pane.see((rows) => rows.includes(wanted) && pane.cursor().column === PROMPT.length + column);
}

interface Press {
  readonly of: string;
  readonly keys: readonly string[];
  readonly text: string;
  readonly column: number;
}

/** What is typed, the keys pressed then, and what stands there after. */
const PRESSES: readonly Press[] = [
  { of: "one two", keys: ["C-a"], text: "one two", column: 0 },
  { of: "one two", keys: ["Home", "C-e"], text: "one two", column: 7 },
  { of: "one two", keys: ["M-b"], text: "one two", column: 4 },
  { of: "one two", keys: ["C-Left", "C-Left", "M-f"], text: "one two", column: 3 },
  { of: "one two", keys: ["C-a", "C-Right", "Right"], text: "one two", column: 4 },
  { of: "one two", keys: ["C-b", "C-b", "C-f"], text: "one two", column: 6 },
  { of: "one two", keys: ["BSpace", "BSpace"], text: "one t", column: 5 },
  { of: "one two", keys: ["C-a", "DC", "C-d"], text: "e two", column: 0 },
  { of: "one two", keys: ["C-w"], text: "one", column: 4 },
  { of: "one two", keys: ["M-BSpace", "C-y", "C-y"], text: "one twotwo", column: 10 },
  { of: "one two", keys: ["C-a", "M-d"], text: " two", column: 0 },
  { of: "one two", keys: ["M-b", "C-k", "C-a", "C-y"], text: "twoone", column: 3 },
  { of: "one two", keys: ["Left", "C-u"], text: "o", column: 0 },
  { of: "one two", keys: ["C-t"], text: "one tow", column: 7 },
  { of: "one two", keys: ["C-w", "C-_"], text: "one two", column: 7 },
];

describe.skipIf(!hasTmux)("keys in the shell", () => {
  test("U35 the editing keys people know: moves, words, kill and yank, transpose, undo", async () => {
    const llm = await model([]);
    const pane = await openPane(place({ config: llm.config }));
    for (const { of, keys, text, column } of PRESSES) {
      pane.type(of);
      pane.press(...keys);
      await line(pane, text, column);
      pane.press("C-e", "C-u");
      await line(pane, "", 0);
    }
    pane.press("C-d");
    expect(await pane.ended()).toEqual({ code: 0, restored: true });
  });

  test("U34 the history of the project comes back after a restart by Up, Down and Ctrl-R; what sets a key is not in it", async () => {
    const llm = await model([{ say: "Answer to the first question." }, { say: "Answer to the second question." }]);
    const here = place({ config: llm.config });
    const first = await openPane(here);
    for (const text of ["first question", "second question"]) {
      first.type(text);
      first.press("Enter");
      await first.see((rows) => rows.includes(`Answer to the ${text}.`) && rows.at(-2) === "");
    }
    first.type("/config set llm_config.api_key sk-secret-1");
    first.press("Enter");
    await first.see("llm_config.api_key");
    first.type("/config set llm_config.api_url https://me:sk-secret-2@h/v1");
    first.press("Enter");
    await first.see("holds a password or key");
    first.press("C-d");
    await first.ended();

    const pane = await openPane(here, { args: ["--new"] });
    pane.type("draft");
    pane.press("Up");
    await line(pane, "second question", 15);
    pane.press("C-p");
    await line(pane, "first question", 14);
    pane.press("Down", "C-n");
    await line(pane, "draft", 5);
    pane.press("C-u", "C-r");
    pane.type("first");
    await pane.see("(search: first) first question");
    pane.press("C-g");
    await line(pane, "", 0);
    pane.press("C-r");
    pane.type("quest");
    pane.press("C-r");
    await pane.see("(search: quest) first question");
    pane.press("Tab");
    await line(pane, "first question", 14);
    pane.press("C-u", "C-r");
    pane.type("sk-secret");
    await pane.see("(not found: sk-secret)");
  });

  test("U35 several lines by Alt-Enter and by a backslash; Enter sends them as they are", async () => {
    const llm = await model([{ say: "Three lines." }]);
    const pane = await openPane(place({ config: llm.config }));
    pane.type("one");
    pane.press("M-Enter");
    pane.type("  two\\");
    pane.press("Enter");
    pane.type("three");
    await pane.see((rows) => rows.slice(-3).join("\n") === `${PROMPT}one\n    two\n  three`);
    pane.press("Up", "C-e");
    expect(pane.rows().length).toBe(5);
    pane.press("Enter");
    await pane.see("Three lines.");
    expect(conversationIn(llm.requests[0])[0]?.content).toBe("one\n  two\nthree");
  });

  test("U26 U27 Tab completes commands, config paths, roles, models and files, also with blanks in their names", async () => {
    const llm = await model([{ say: "Read." }]);
    const config = { ...llm.config, models: { explorer: "small-model" } };
    const here = place({ config, files: { "src/deep.ts": "1\n", "my notes.md": "Buy milk.\n" }, git: true });
    const pane = await openPane(here);
    const completed: readonly (readonly [string, string])[] = [
      ["/hel", "/help "],
      ["/config set temp", "/config set temperature "],
      ["/role orch", "/role orchestrator "],
      ["/model sm", "/model small-model "],
      ["/mode p", "/mode plan "],
      ["see @dee", "see @src/deep.ts "],
      ["see @notes", 'see @"my notes.md" '],
    ];
    for (const [typed, whole] of completed) {
      pane.type(typed);
      pane.press("Tab");
      await line(pane, whole, whole.length);
      pane.press("C-u");
    }
    pane.type("/mo");
    pane.press("Tab");
    await line(pane, "/mode", 5);
    pane.press("Tab");
    await pane.see("/mode    /model   /models");
    pane.press("C-u");
    pane.type("/hel x");
    pane.press("Left", "Left", "Tab");
    await line(pane, "/hel x", 4);
    pane.press("C-e", "C-u");
    pane.type("what is in @not");
    pane.press("Tab");
    await line(pane, 'what is in @"my notes.md" ', 26);
    pane.press("Enter");
    await pane.see("Read.");
    expect(conversationIn(llm.requests[0])[0]?.content).toContain("my notes.md:\nBuy milk.");
  });

  test("U35 fault 219 a paste of 1 MB is shown as its size, sent whole, and echoed in brief", async () => {
    const text = "a line  of\ttext, 你好 and more\n".repeat(30_000);
    const llm = await model([{ say: "Much." }]);
    const pane = await openPane(place({ config: llm.config }));
    pane.paste(text);
    await pane.see("▸ [pasted 30,000 lines]");
    pane.press("Enter");
    await pane.see("Much.");
    expect(conversationIn(llm.requests[0])[0]?.content === text).toBe(true);
    await pane.find("… 30,001 lines in all");
    expect(pane.all().length).toBeLessThan(30);
    pane.paste("two\nlines"); // no Enter: it is not sent by its line end
    await pane.see((rows) => rows.slice(-2).join("\n").endsWith(" ▸ two\n  lines"));
  });

  test("B66 fault 220 wide characters, joined emoji and combining marks: the cursor stands on its cell, and what is sent is what was typed", async () => {
    const llm = await model([{ say: "好。" }]);
    const pane = await openPane(place({ config: llm.config }));
    pane.type("你好ab");
    await line(pane, "你好ab", 6);
    pane.press("Left", "Left");
    pane.type("X");
    await line(pane, "你好Xab", 5);
    pane.press("Left", "Left", "Left");
    await line(pane, "你好Xab", 0);
    pane.press("C-k");
    pane.type("e\u0301👍");
    await pane.see(() => pane.cursor().column === PROMPT.length + 3);
    pane.press("Left", "Left");
    await pane.see(() => pane.cursor().column === PROMPT.length);
    pane.press("C-k");
    pane.type("好".repeat(30));
    await pane.see((rows) => rows.slice(-2).join("\n") === `${PROMPT}${"好".repeat(24)}\n${"好".repeat(6)}`);
    expect(pane.cursor().column).toBe(12);
    pane.press("Enter");
    await pane.see("好。");
    expect(conversationIn(llm.requests[0])[0]?.content).toBe("好".repeat(30));
  });
});

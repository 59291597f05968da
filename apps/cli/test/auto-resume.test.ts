import { expect, test } from "vitest";
import { conversationIn, model, place } from "./scene.ts";
import { hasTmux, openPane } from "./tmux.ts";

if (!hasTmux) console.log("skipped: going on with the last session by itself needs tmux");

const said = (request: Parameters<typeof conversationIn>[0]) => conversationIn(request).map(({ content }) => content);

test.skipIf(!hasTmux)(
  "PS18 the shell goes on with this project's last session and says so; --new, /new and /clear begin afresh",
  async () => {
    const llm = await model([{ say: "one" }, { say: "two" }, { say: "three" }, { say: "four" }, { say: "five" }]);
    const here = place({ config: llm.config });
    await here.run(["-p", "first"]);
    const shell = await openPane(here);
    await shell.see((rows) =>
      rows.some((row) => /^smith: going on with \w+ \(first\), 1 turn; \/new starts afresh\.$/.test(row)),
    );
    shell.type("second");
    shell.press("Enter");
    await shell.see("two");
    shell.type("/new");
    shell.press("Enter");
    await shell.see("A fresh conversation begins");
    shell.type("third");
    shell.press("Enter");
    await shell.see("three");
    shell.press("C-d");
    await shell.ended();

    const next = await openPane(here);
    await next.see("(third), 1 turn;");
    next.type("fourth");
    next.press("Enter");
    await next.see((rows) => rows.includes("four")); // not the "fourth" that was typed
    next.type("/clear");
    next.press("Enter");
    await next.see("Emptied;");
    next.press("C-d");
    await next.ended();

    const last = await openPane(here);
    expect(last.all().join("\n")).not.toContain("going on with");
    last.type("fifth");
    last.press("Enter");
    await last.see("five");
    last.press("C-d");
    await last.ended();
    expect(llm.requests.map(said)).toEqual([
      ["first"],
      ["first", "one", "second"],
      ["third"],
      ["third", "three", "fourth"],
      ["fifth"],
    ]);
    const asked = await openPane(here, { args: ["--new"] });
    expect(asked.all().join("\n")).not.toContain("going on with");
  },
);

test.skipIf(!hasTmux)(
  "fault 11 a shell whose last session another process is at work in starts a new one and says so",
  async () => {
    const llm = await model([{ stall: true, say: "thinking" }, { say: "afresh" }]);
    const here = place({ config: llm.config });
    const busy = here.smith(["-p", "long work", "--output", "jsonl"]);
    await busy.said("thinking");
    const shell = await openPane(here, { columns: 160 });
    await shell.see(`smith: process ${busy.pid} is at work in`);
    await shell.see("starting a new session. --fork");
    shell.type("hello");
    shell.press("Enter");
    await shell.see("afresh");
    expect(said(llm.requests[1])).toEqual(["hello"]);
  },
);

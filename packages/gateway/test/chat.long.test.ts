import { describe, expect, test } from "vitest";
import { CAPS } from "../src/index.ts";
import { echoModel, latch } from "./echo-model.ts";
import { bodyOf, conversationIn, model, place, scene } from "./scene.ts";

const call = (name: string, args: object, id = name) => ({ id, name, args });

describe("a chat", () => {
  test("/new begins a new conversation, /status tells what goes on, and other commands are answered here", async () => {
    const echo = await echoModel();
    const { post, gateway } = await scene({ config: echo.config });
    const say = async (text: string) => (await post({ text })).body["reply"];
    expect(await say("/start now")).toBe("hello");
    expect(await say("/status")).toBe("idle");
    expect(await say("one")).toBe("echo: one");
    expect(await say("/status")).toBe("idle; 1 turn in this conversation");
    expect(await say("/new")).toBe("A new conversation begins.");
    expect(await say("/status")).toBe("idle; 0 turns in this conversation");
    expect(await say("two")).toBe("echo: two");
    expect(await say("/config set mode full")).toContain("There is no such command.");
    expect(await say("/usr/lib/x.so is what?")).toBe("echo: /usr/lib/x.so is what?");
    expect(await say("/cancel")).toBe("Nothing is going on.");
    expect(echo.sizes).toEqual([1, 1, 3]);
    expect(gateway.bus.size()).toEqual({ conversations: 1, waiting: 0 });
  });

  test("/new holds over a restart; a message that was answered is not kept as waiting when it comes again", async () => {
    const echo = await echoModel();
    const first = await scene({ config: echo.config });
    await first.post({ text: "one", message_id: "1" });
    await first.post({ text: "/new" });
    await first.post({ text: "one", message_id: "1" });
    await first.gateway.close();
    const { post, gateway } = await scene({ config: echo.config, place: first });
    expect(await gateway.bus.left("webhook")).toEqual([]);
    expect((await post({ text: "two" })).body["reply"]).toBe("echo: two");
    expect([echo.lines, echo.sizes]).toEqual([
      ["one", "two"],
      [1, 1],
    ]);
  });

  test("/cancel stops what runs, with what waits for it", async () => {
    const echo = await echoModel((line) => (line === "slow" ? new Promise(() => {}) : undefined));
    const { post, gateway } = await scene({ config: echo.config });
    const reply = async (text: string) => (await post({ text })).body["reply"];
    const both = [reply("slow"), reply("waits")];
    await expect.poll(() => [echo.lines.length, gateway.bus.size().waiting]).toEqual([1, 2]);
    expect(await reply("/status")).toMatch(/^at work for \d s; 1 message waits; 0 turns in this conversation$/);
    expect(await reply("/cancel")).toBe("Cancelled, with 1 waiting message.");
    expect(await Promise.all(both)).toEqual(["Cancelled.", "Cancelled."]);
    expect(await reply("next")).toBe("echo: next");
    expect(echo.lines).toEqual(["slow", "next"]);
  });

  test("G7 G27 a failed turn is one line without address, path or key; an empty answer is a sentence", async () => {
    const llm = await model([
      { status: 401, body: { error: { message: "bad key sk-CANARY1234567890abcdef in /srv/app/keys.json" } } },
      { empty: true },
      { say: "   " },
    ]);
    const config = { ...llm.config, empty_response_retry_max_retries: 0 };
    const { post, gateway } = await scene({ config, env: { LLM_API_KEY: "CANARY-key-of-the-host" } });
    const failed = String((await post({ text: "one", message_id: "1" })).body["reply"]);
    expect(await gateway.bus.left("webhook")).toEqual([]);
    expect(failed).toMatch(/^agent error: [^\n]{10,286}$/);
    expect(failed).not.toMatch(/CANARY|127\.0\.0\.1|\/srv|http:/);
    expect((await post({ text: "two" })).body["reply"]).toMatch(/^agent error: /);
    expect((await post({ text: "three" })).body["reply"]).toMatch(/^(agent error: |I have no answer)/);
  });

  test("G23 what a chat is offered looks and no more, an explorer too; what goes beyond is refused", async () => {
    const here = place({ "a.ts": "export const one = 1;\n" });
    const llm = await model({
      direct: [
        {
          call: [
            call("note", { action: "upsert", content: "x" }),
            call("dispatch", { target_role: "worker", task: "change it" }),
            call("bash", { command: "id" }),
            call("read", { path: "/etc/passwd" }, "r1"),
            call("read", { path: "../home/smith.db" }, "r2"),
            call("read", { path: "a.ts" }, "r3"),
            call("dispatch", { target_role: "explorer", task: "look" }, "d2"),
          ],
        },
        { say: `It is in ${here.cwd}/a.ts, and the key is SECRET-of-this-host. ${here.cwd}` },
      ],
      explorer: [
        { call: [call("bash", { command: "id" }), call("read", { path: "/etc/hosts" })] },
        { call: [call("report", { status: "ok", summary: "seen" })] },
      ],
    });
    const { post } = await scene({ config: llm.config, place: here, env: { MY_API_KEY: "SECRET-of-this-host" } });
    expect((await post({ text: "go" })).body["reply"]).toBe("It is in a.ts, and the key is [key]. .");

    const names = (n: number) => (bodyOf(llm, n).tools ?? []).map((tool) => tool.function.name).sort();
    const looks = ["code_files", "code_grep", "code_map", "code_outline", "code_symbols", "list_dir", "read"];
    expect(names(1)).toEqual([...looks, "dispatch", "note", "recall", "search", "web_fetch", "web_search"].sort());
    expect(names(2)).toEqual([...looks, "report", "web_fetch", "web_search"].sort());
    const results = conversationIn(llm, 4).slice(2);
    const codes = results.map((text) => (text.startsWith("{") ? JSON.parse(text).error?.code : text.split("\n")[0]));
    expect(codes.slice(0, 5)).toEqual(["bad_arguments", "bad_arguments", "unknown_tool", "path_escape", "path_escape"]);
    expect(codes[5]).toMatch(/^a.ts · 1 line/);
    expect(
      conversationIn(llm, 3)
        .slice(2)
        .map((text) => JSON.parse(text.replace(/\n\[receipt.*/, "")).error.code),
    ).toEqual(["unknown_tool", "path_escape"]);
    expect(bodyOf(llm, 1).messages[0]?.content).toContain("## Chat");
    expect(bodyOf(llm, 2).messages[0]?.content).not.toContain("## Chat");
  });

  test("G23 the configuration takes tools away and adds none", async () => {
    const llm = await model([{ say: "hi" }]);
    const config = {
      ...llm.config,
      gateway: { tools: ["read", "bash", "search"] },
      services: { tool: { enabled: ["read", "bash", "edit"], extra: ["http_request"] } },
    };
    const { post } = await scene({ config });
    await post({ text: "hi" });
    expect(bodyOf(llm, 1).tools?.map((tool) => tool.function.name)).toEqual(["read"]);
  });

  test("PL15 G23 plugins are loaded: their hooks look at what a chat does, their tools are not offered there", async () => {
    const hooks =
      "{ before_tool_call: ({ tool_name }) => (tool_name === 'read' ? { block: true, reason: 'not now' } : {}) }";
    const tool =
      "{ name: 'mine', description: '', parameters: { type: 'object' }, execute: () => 'x', side_effects: 'none' }";
    const here = place({ "a.ts": "1", "p.mjs": `export default { name: "p", hooks: ${hooks}, tools: [${tool}] };` });
    const llm = await model([{ call: [call("read", { path: "a.ts" }), call("mine", {})] }, { say: "so" }]);
    const config = { ...llm.config, plugins: [`${here.cwd}/p.mjs`, "./gone.mjs"] };
    const { post, said } = await scene({ config, place: here });
    expect((await post({ text: "go" })).body["reply"]).toBe("so");
    expect(bodyOf(llm, 1).tools?.map((each) => each.function.name)).not.toContain("mine");
    const [read = "", mine = ""] = conversationIn(llm, 2).slice(2);
    expect(read).toContain("blocked_by_plugin: not now");
    expect(mine).toContain("unknown_tool");
    expect(said.filter((line) => line.includes("gone.mjs")).length).toBe(1);
  });

  test("G4 G6 the conversation that was silent longest leaves the memory, one at work does not, and all go on", async () => {
    const held = latch();
    const echo = await echoModel((line) => (line === "slow" ? held.opened : undefined));
    const { post, gateway } = await scene({ config: echo.config, caps: { ...CAPS, conversations: 2 } });
    const say = async (chat_id: string, text: string) => (await post({ chat_id, text })).body["reply"];
    const slow = say("a", "slow");
    await expect.poll(() => echo.lines.length).toBe(1);
    await say("b", "1");
    await say("c", "2");
    expect(gateway.bus.size()).toEqual({ conversations: 2, waiting: 1 });
    await say("b", "3"); // it had left the memory, and goes on
    held.open();
    expect(await slow).toBe("echo: slow");
    await say("a", "4");
    expect(echo.sizes).toEqual([1, 1, 1, 3, 3]);
  });

  test("G4 of a long conversation the newest 40 messages are sent at most, and all of it is kept", async () => {
    const echo = await echoModel();
    const { post } = await scene({ config: echo.config });
    for (let n = 1; n <= 24; n++) await post({ text: `${n}` });
    expect(Math.max(...echo.sizes)).toBe(41); // with the new line
    expect(echo.sizes.at(-1)).toBeLessThan(41);
    expect(echo.violations).toEqual([]);
  });

  test("fault 226: a turn that failed is no answer: the same message is asked again, and what succeeds is kept", async () => {
    const llm = await model([{ status: 400, body: { error: { message: "not now" } } }, { say: "done" }]);
    const { post } = await scene({ config: llm.config });
    const ask = async () => (await post({ text: "go", message_id: "m" })).body["reply"];
    expect(await ask()).toMatch(/^agent error: /);
    expect([await ask(), await ask()]).toEqual(["done", "done"]);
    expect(llm.requests.length).toBe(2);
  });
});

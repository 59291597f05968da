import { expect, test } from "vitest";
import { conversationIn, model, place } from "./scene.ts";

test("TL29 TL30 TL32 B77 the built program finds its grammars and git: an orchestrator looks at code and changes", async () => {
  const calls = [
    { id: "c1", name: "code_symbols", args: { query: "greet" } },
    { id: "c2", name: "code_outline", args: { path: "src/main.py" } },
    { id: "c3", name: "git", args: { subcommand: "status" } },
    { id: "c4", name: "git", args: { subcommand: "log", args: ["--output=made.txt"] } },
  ];
  const llm = await model([{ call: calls }, { say: "done" }]);
  const here = place({
    config: llm.config,
    git: true,
    files: {
      "src/greet.ts": "export function greet() {}\n",
      "src/main.py": "class Main:\n    def run(self): pass\n",
      "naïve 音.txt": "x\n",
    },
  });
  await here.run(["-p", "go", "--role", "orchestrator"]);
  const results = conversationIn(llm.requests[1]).filter(({ role }) => role === "tool");
  const [symbols, outline, status, refused] = results.map(({ content }) => content ?? "");
  expect([symbols, outline]).toEqual(["src/greet.ts:1 function greet", "1 class Main\n  2 method run"]);
  expect(status?.split("\n").slice(1)).toEqual(["nothing to commit, working tree clean"]);
  const { error } = JSON.parse(refused ?? "") as { error: { kind: string; code: string } };
  expect([error.kind, error.code]).toEqual(["policy", "option_refused"]);
  expect(() => here.read("made.txt")).toThrow("ENOENT");
});

import { expect, test } from "vitest";
import { model, place } from "./scene.ts";

test("PR10 K1 Q25 --system-prompt takes the place of the role frame: the project stays in the prompt, and the tools are the same", async () => {
  const llm = await model([{ say: "one" }, { say: "two" }]);
  const files = { "own.md": "You speak like a pirate.\n", "AGENTS.md": "Use tabs.\n" };
  const here = place({ config: llm.config, files, git: true });
  const bodies = () => llm.requests.map(({ body }) => body as { messages: { content: string }[]; tools: unknown });
  for (const more of [[], ["--system-prompt", "own.md"]]) {
    expect((await here.run(["-p", "hi", ...more])).code).toBe(0);
  }
  const [plain, own] = bodies();
  const [frame, ...blocks] = (plain?.messages[0]?.content ?? "").split("\n\n## ");
  expect(frame).toContain("(role: direct)");
  expect(own?.messages[0]?.content).toBe(["You speak like a pirate.", ...blocks].join("\n\n## "));
  expect(blocks.join()).toContain("Use tabs.");
  expect(own?.tools).toEqual(plain?.tools);
});

test("PR10 K1 a file for --system-prompt that can't be read is a misuse that names it", async () => {
  const end = await place().run(["-p", "hi", "--system-prompt", "gone.md"]);
  expect([end.code, end.stdout]).toEqual([2, ""]);
  expect(end.stderr).toContain("--system-prompt gone.md: can't be read (ENOENT). Name a readable text file.");
});

import { afterEach, expect, test, vi } from "vitest";
import { startScriptedLlm } from "../src/index.ts";
import { goodRequest, post, told } from "./speak.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("the server goes on while a test holds the clock", async () => {
  vi.useFakeTimers();
  await using llm = await startScriptedLlm([{ say: "on time" }]);
  expect(told(await (await post(llm.url, goodRequest())).text()).text).toBe("on time");
});

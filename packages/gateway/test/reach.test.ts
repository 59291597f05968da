import { expect, test } from "vitest";
import { conversationIn, model, scene } from "./scene.ts";

const call = (name: string, args: object) => ({ id: name, name, args });

test("G23 a chat finds and reads what was said in its own conversation, and nothing of another's", async () => {
  const search = call("search", { query: "password" });
  const own = await model([{ call: [search] }, { say: "noted" }]);
  const first = await scene({ config: own.config });
  await first.post({ chat_id: "a", text: "the password is heron" });
  const key = /message\/\S+\/1\b/.exec(conversationIn(own, 2).at(-1) ?? "")?.[0] ?? "";
  expect(key).not.toBe("");
  await first.gateway.close();

  const other = await model([{ call: [search, call("recall", { key })] }, { say: "so" }]);
  const { post } = await scene({ config: other.config, place: first });
  await post({ chat_id: "b", text: "look for it" });
  const told = conversationIn(other, 2).join("\n");
  expect(told).not.toContain("heron");
  expect(told).toContain("There is no key message/");
});

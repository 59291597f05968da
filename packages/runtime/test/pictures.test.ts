import { createHash } from "node:crypto";
import { AgentError } from "@smith/contract/error";
import { createMemoryStore } from "@smith/testkit";
import { expect, test } from "vitest";
import { createRuntime } from "../src/index.ts";
import { bodyOf, model, place } from "./place.ts";

const BYTES = new Uint8Array([1, 2, 3, 250]);
const HASH = createHash("sha256").update(BYTES).digest("hex").slice(0, 16);
const image = { media_type: "image/webp", bytes: BYTES };
const shown = {
  type: "image_url",
  image_url: { url: `data:image/webp;base64,${Buffer.from(BYTES).toString("base64")}` },
};

test("the API takes pictures beside a text, or alone, and gives them back as parts", async () => {
  const llm = await model([{ say: "1" }, { say: "2" }]);
  const runtime = place().runtime({ config: llm.config });
  const first = await runtime.run({ text: "look", images: [image], notices: ["b.png was left out."] });
  await runtime.run({ text: " ", images: [image] });
  const part = { type: "image", media_type: "image/webp", blob: HASH };
  expect(first.messages[0]?.content).toEqual([{ type: "text", text: "look" }, part]);
  expect(first.notices).toEqual([{ level: "warn", text: "b.png was left out." }]);
  expect(
    bodyOf(llm.requests[1])
      .messages.slice(1)
      .map(({ content }) => content),
  ).toEqual([[{ type: "text", text: "look" }, shown], "1", [shown]]);
});

test("a store that can't keep a picture costs the saving, not the turn", async () => {
  const llm = await model([{ call: [{ id: "c", name: "read", args: { path: "." } }] }, { say: "done" }]);
  const full = () =>
    Promise.reject(new AgentError({ kind: "persistence", code: "disk_full", message: "The disk is full." }));
  const persistence = { ...createMemoryStore(), blob: { put: full, get: full } };
  const runtime = createRuntime({ env: {}, config: llm.config, service_handles: { persistence } });
  const { stop_reason, text } = await runtime.run({ text: "look", images: [image] });
  await runtime.close();
  expect([stop_reason, text]).toEqual(["completed", "done"]);
  const shownIn = llm.requests.map((request) => bodyOf(request).messages[1]?.content);
  expect(shownIn).toEqual(Array(2).fill([{ type: "text", text: "look" }, shown]));
});

test("what a line refers to is put in by whoever reads lines, and commands are left alone", async () => {
  const llm = await model([{ say: "1" }]);
  const expanded: string[] = [];
  const runtime = place().runtime({
    config: llm.config,
    expand: async (line) => {
      expanded.push(line);
      return { text: `${line}!`, images: [] };
    },
  });
  await runtime.processInput("/mode full");
  await runtime.processInput("hello");
  expect([expanded, bodyOf(llm.requests[0]).messages.at(-1)?.content]).toEqual([["hello"], "hello!"]);
});

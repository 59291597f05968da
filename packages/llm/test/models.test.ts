import { createCancel } from "@smith/contract/cancel";
import { startScriptedLlm } from "@smith/testkit";
import { expect, test } from "vitest";
import { listModels } from "../src/index.ts";
import { KEY, optionsFor, rawServer } from "./scene.ts";

test("L15 the models of an endpoint are listed by id, sorted, each once", async () => {
  await using llm = await startScriptedLlm([], { models: ["b", "a", { id: "b", context_length: 1 }] });
  using cancel = createCancel();
  expect(await listModels(optionsFor(`${llm.url}/`), { signal: cancel.signal, timeout_s: 5 })).toEqual(["a", "b"]);
  const [request] = llm.catalog_requests;
  expect([request?.path, request?.headers.authorization]).toEqual(["/v1/models", `Bearer ${KEY}`]);
});

test.each([
  ["404 Not Found", '{"error":{"message":"no such path"}}', "answered 404: no such path."],
  ["200 OK", '{"error":{"message":"not today"}}', "answered with an error: not today."],
  ["200 OK", "<html>", "answered with something that is no list of models: <html>."],
])("L15 a list that is answered with %s %s is an error", async (status, body, words) => {
  await using server = await rawServer((socket) =>
    socket.once("data", () => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n${body}`)),
  );
  using cancel = createCancel();
  await expect(listModels(optionsFor(server.url), { signal: cancel.signal, timeout_s: 5 })).rejects.toThrow(words);
});

test("L15 a list that never comes runs into its time", async () => {
  await using server = await rawServer(() => {});
  using cancel = createCancel();
  const listing = listModels(optionsFor(server.url), { signal: cancel.signal, timeout_s: 0.05 });
  await expect(listing).rejects.toMatchObject({ code: "timeout", retryable: true });
});

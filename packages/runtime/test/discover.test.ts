import { once } from "node:events";
import { createServer } from "node:net";
import { type Routes, startRoutes } from "@smith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { createRuntime } from "../src/index.ts";

const TAGS = { models: [{ name: "qwen3:8b", model: "qwen3:8b" }] };
const LIST = { data: [{ id: "text-embedding-x" }, { id: "local-model" }] };

async function server(routes: Routes) {
  const started = await startRoutes(routes);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** A port on which nobody answers: connections are taken, or refused. */
async function deadPort(listens: boolean): Promise<number> {
  const dead = createServer((socket) => socket.on("error", () => {}));
  dead.listen(0, "127.0.0.1");
  await once(dead, "listening");
  const address = dead.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  if (listens) onTestFinished(() => void dead.close());
  else await new Promise((done) => dead.close(done));
  return address.port;
}

/** What is taken when these listen on the ports of Ollama, LM Studio and llama.cpp. */
async function found(ports: readonly number[]): Promise<unknown> {
  const runtime = createRuntime({ cwd: () => import.meta.dirname, env: { SMITH_PROBE_PORTS: ports.join(":") } });
  onTestFinished(() => runtime.close());
  return await runtime.model().then(
    ({ provider, model, endpoints }) => [provider, model, endpoints.map(({ kind }) => kind)],
    (error: { code: string }) => error.code,
  );
}

test("C26 K9 with no local server there is no model; one is found whichever it is; of two the first in order wins", async () => {
  const free = await deadPort(false);
  const [ollama, studio, llama] = [
    await server({ "/api/tags": TAGS }),
    await server({ "/v1/models": LIST }),
    await server({ "/v1/models": LIST }),
  ];
  expect([
    await found([free, free, free]),
    await found([ollama.port, free, free]),
    await found([free, studio.port, free]),
    await found([free, free, llama.port]),
    await found([free, studio.port, llama.port]),
    await found([ollama.port, free, llama.port]),
  ]).toEqual([
    "no_model",
    ["ollama", "qwen3:8b", ["ollama"]],
    ["lmstudio", "local-model", ["openai_chat"]],
    ["llamacpp", "local-model", ["openai_chat"]],
    ["lmstudio", "local-model", ["openai_chat"]],
    ["ollama", "qwen3:8b", ["ollama"]],
  ]);
});

test("C26 K9 what is no model server is passed over, silent ones too; another maker's server on Ollama's port is spoken to in its own format", async () => {
  const good = await server({ "/v1/models": LIST });
  const wrong = [
    await server({ "/api/tags": "<html>", "/v1/models": "<html>" }),
    await server({ "/api/tags": 500, "/v1/models": 401 }),
    await server({ "/api/tags": { models: [] }, "/v1/models": { data: [] } }),
    await server({ "/api/tags": { models: "x" }, "/v1/models": { error: "no" } }),
    await server({ "/v1/models": { data: [{ id: "only-embeddings" }] } }),
    { port: await deadPort(true) },
  ];
  for (const { port } of wrong) {
    expect(await found([port, port, port])).toBe("no_model");
    expect(await found([port, port, good.port])).toEqual(["llamacpp", "local-model", ["openai_chat"]]);
  }
  expect(await found([good.port, wrong[0]?.port ?? 0, wrong[1]?.port ?? 0])).toEqual([
    "ollama",
    "local-model",
    ["openai_chat"],
  ]);
});

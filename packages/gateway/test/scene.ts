import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRuntime } from "@smith/runtime";
import { freePort, type Script, type ScriptedLlm, startScriptedLlm } from "@smith/testkit";
import { onTestFinished } from "vitest";
import { chatOptions, type Gateway, type GatewayOptions, startGateway } from "../src/index.ts";

export interface SceneOptions extends Partial<Pick<GatewayOptions, "platforms" | "env" | "caps" | "urls">> {
  readonly config?: Readonly<Record<string, unknown>>;
  /** Default: a fresh home and working directory. */
  readonly place?: Place;
}

export interface Place {
  readonly home: string;
  readonly cwd: string;
}

export interface Scene extends Place {
  readonly gateway: Gateway;
  readonly url: string;
  /** What the gateway said, a line each. */
  readonly said: readonly string[];
  /** Resolves as soon as a line with this text was said. */
  saying(text: string): Promise<string>;
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Posted>;
}

export interface Posted {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

export function place(files: Readonly<Record<string, string>> = {}): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-gateway-")));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { home, cwd };
}

/** A gateway in this process, on files of its own; closed when the test is over. */
export async function scene(options: SceneOptions = {}): Promise<Scene> {
  const { home, cwd } = options.place ?? place();
  const said: string[] = [];
  const waiting = new Set<{ text: string; resolve(line: string): void }>();
  const say = (line: string) => {
    said.push(line);
    for (const each of waiting) if (line.includes(each.text)) each.resolve(line);
  };
  const port = await freePort();
  const env = { SMITH_NO_PROBE: "1", SMITH_GATEWAY_PORT: String(port), ...options.env };
  const database = join(home, "smith.db");
  const runtime = createRuntime({ cwd: () => cwd, env, database, ...chatOptions, config: options.config ?? {} });
  onTestFinished(() => runtime.close());
  const { platforms = [], caps, urls } = options;
  const more = { ...(caps === undefined ? {} : { caps }), ...(urls === undefined ? {} : { urls }) };
  const gateway = await startGateway({ runtime, platforms, env, cwd, say, ...more });
  onTestFinished(() => gateway.close(0));
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ home, cwd, gateway, url, said },
    saying: (text) =>
      new Promise<string>((resolve) => {
        const there = said.find((line) => line.includes(text));
        if (there !== undefined) resolve(there);
        else waiting.add({ text, resolve });
      }),
    async post(body, headers = {}) {
      const init = { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers };
      const response = await fetch(`${url}/message`, init);
      return { status: response.status, body: (await response.json()) as Posted["body"], headers: response.headers };
    },
  };
}

/** A scripted model that is closed, and then checked, when the test is over; and a configuration that names it. */
export async function model(script: Script): Promise<ScriptedLlm> {
  const llm = await startScriptedLlm(script);
  onTestFinished(() => llm[Symbol.asyncDispose]());
  return { ...llm, config: { llm_config: { api_url: llm.url, retry_max_retries: 0 }, default_model: "scripted" } };
}

/** The texts of a request's messages, without the system's. */
export const conversationIn = (llm: ScriptedLlm, n: number): readonly string[] =>
  bodyOf(llm, n)
    .messages.slice(1)
    .map(({ content }) => content);

export interface WireBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
}

/** The n-th request; 1 is the first. */
export function bodyOf(llm: ScriptedLlm, n: number): WireBody {
  const request = llm.requests[n - 1];
  if (request === undefined) throw new Error(`no ${n} requests came`);
  return request.body as WireBody;
}

/** One request with headers that fetch does not let through; the body goes out as it is given, piece by piece. */
export async function raw(
  url: string,
  { method = "GET", headers = {}, pieces = [] }: { method?: string; headers?: object; pieces?: readonly string[] },
): Promise<{ status: number; text: string }> {
  const sent = request(url, { method, headers: { ...headers }, agent: false });
  sent.on("error", () => {}); // an answer that came before all was sent is an answer
  const answered = once(sent, "response");
  for (const piece of pieces) sent.write(piece);
  sent.end();
  const [response] = (await answered) as [IncomingMessage];
  let text = "";
  response.on("error", () => {});
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await once(response, "close");
  return { status: response.statusCode ?? 0, text };
}

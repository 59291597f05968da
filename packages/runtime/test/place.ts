import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type RecordedRequest, type Script, type ScriptedLlm, startScriptedLlm } from "@smith/testkit";
import { onTestFinished } from "vitest";
import { createRuntime, type Layer, type Runtime, type RuntimeOptions } from "../src/index.ts";

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly user_file: string;
  readonly project_file: string;
  readonly database: string;
  /** Writes the user's configuration: an object, or the very text. */
  user(config: object | string): void;
  /** Writes the project's configuration. */
  project(config: object | string): void;
  /** Writes a file into the working directory. */
  file(path: string, content: string | Uint8Array): string;
  git(...args: readonly string[]): void;
  /** A runtime on these files, in this working directory; closed when the test is over. */
  runtime(options?: RuntimeOptions): Runtime;
}

/** A fresh home and working directory, gone when the test is over. */
export function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-runtime-")));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, content: object | string | Uint8Array) => {
    mkdirSync(dirname(path), { recursive: true });
    const isText = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(path, isText ? content : JSON.stringify(content, null, 2));
    return path;
  };
  const here = {
    home,
    cwd,
    user_file: join(home, "config.json"),
    project_file: join(cwd, ".smith", "config.json"),
    database: join(home, "smith.db"),
  };
  return {
    ...here,
    user: (config) => void put(here.user_file, config),
    project: (config) => void put(here.project_file, config),
    file: (path, content) => put(join(cwd, path), content),
    git: (...args) => void execFileSync("git", args, { cwd, stdio: "ignore" }),
    runtime(options = {}) {
      const { user_file, database } = here;
      const runtime = createRuntime({ cwd: () => cwd, env: { SMITH_NO_PROBE: "1" }, user_file, database, ...options });
      onTestFinished(() => runtime.close());
      return runtime;
    },
  };
}

/** A scripted model that is closed, and then checked, when the test is over. */
export async function model(script: Script): Promise<ScriptedLlm> {
  const llm = await startScriptedLlm(script);
  onTestFinished(() => llm[Symbol.asyncDispose]());
  return llm;
}

export interface WireBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly temperature?: number;
}

export function bodyOf(request: RecordedRequest | undefined): WireBody {
  if (request === undefined) throw new Error("no such request came");
  return request.body as WireBody;
}

/** What was said, in a request: the contents of all but the system message. */
export const conversationIn = (request: RecordedRequest | undefined): readonly string[] =>
  bodyOf(request)
    .messages.slice(1)
    .map(({ content }) => content);

export const systemOf = (request: RecordedRequest | undefined): string => bodyOf(request).messages[0]?.content ?? "";

/** `{ a: { b: value } }` for `a.b`. */
export const nest = (path: string, value: unknown): Layer =>
  path.split(".").reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Layer;

import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { model, type Place, place } from "./scene.ts";

interface Wrong {
  readonly title: string;
  readonly args: readonly string[];
  /** The whole of stderr, without `smith: `; `<cwd>` and `<home>` stand for the folders. */
  readonly says: string;
}

const FLAGS: readonly Wrong[] = [
  { title: "an unknown flag", args: ["--foo"], says: "unknown flag '--foo' (Did you mean --fork?) See smith --help." },
  {
    title: "a misspelt flag",
    args: ["-p", "hi", "--outptu", "json"],
    says: "unknown flag '--outptu' (Did you mean --output?) See smith --help.",
  },
  {
    title: "a flag by the name it has elsewhere",
    args: ["-p", "hi", "--max-turns", "5"],
    says: "unknown flag '--max-turns' (Did you mean --max-rounds N?) See smith --help.",
  },
  {
    title: "a setting as a flag, behind a subcommand",
    args: ["models", "--base-url", "http://h/v1"],
    says: "unknown flag '--base-url' (Did you mean --set llm_config.api_url=URL?) See smith --help.",
  },
  {
    title: "help for a subcommand that is none",
    args: ["help", "sesions"],
    says: 'unknown subcommand "sesions". Did you mean sessions? To ask the model, use smith -p "sesions".',
  },
  {
    title: "a flag without its value",
    args: ["-p", "hi", "--model"],
    says: "option '--model <ID>' argument missing. See smith --help.",
  },
  {
    title: "an output format that is none",
    args: ["-p", "hi", "--output", "xml"],
    says: "option '--output <FORMAT>' argument 'xml' is invalid. Expected text, json or jsonl. See smith --help.",
  },
  {
    title: "no rounds at all",
    args: ["-p", "hi", "--max-rounds", "0"],
    says: "option '--max-rounds <N>' argument '0' is invalid. Expected a whole number above 0. See smith --help.",
  },
  {
    title: "a model without a name",
    args: ["-p", "hi", "--model", ""],
    says: "option '--model <ID>' argument '' is invalid. Expected a non-empty text. See smith --help.",
  },
  {
    title: "text without -p",
    args: ["fix the bug"],
    says: 'unknown subcommand "fix the bug". To ask the model, use smith -p "fix the bug".',
  },
  {
    title: "an empty prompt",
    args: ["-p", " "],
    says: '-p got an empty prompt. Give one, as in smith -p "what is in this repository?", or pipe it in.',
  },
  {
    title: "-c and --resume at once",
    args: ["-p", "hi", "-c", "--resume", "abc"],
    says: "--continue and --resume exclude each other. Give one of them.",
  },
  {
    title: "--set without a value",
    args: ["-p", "hi", "--set", "max_rounds"],
    says: '--set "max_rounds": expected PATH=VALUE, as in default_model=my-model.',
  },
  {
    title: "--set of an unknown key",
    args: ["-p", "hi", "--set", "max_round=3"],
    says: "max_round is no configuration key. Did you mean max_rounds?",
  },
  {
    title: "--set of a wrong type",
    args: ["-p", "hi", "--set", "max_rounds=three"],
    says: 'max_rounds is "three": expected number, received string.',
  },
  {
    title: "--config that is not there",
    args: ["-p", "hi", "--config", "nope.json"],
    says: "--config <cwd>/nope.json: there is no such file. Name an existing one.",
  },
  {
    title: "--cwd that is not there",
    args: ["-p", "hi", "--cwd", "nope"],
    says: "--cwd <cwd>/nope: there is no such folder. Name one.",
  },
  {
    title: "--cwd that is a file",
    args: ["-p", "hi", "--cwd", "a.txt"],
    says: "--cwd <cwd>/a.txt: it is no folder. Name one.",
  },
  {
    title: "a missing key of an endpoint elsewhere",
    args: ["-p", "hi", "--set", "llm_config.api_url=https://api.example.org/v1"],
    says: "api.example.org needs a key, and LLM_API_KEY is not set. Export it, or name another variable in llm_config.api_key_env.",
  },
  {
    title: "an address that is none",
    args: ["-p", "hi", "--set", "llm_config.api_url=ftp://example.org"],
    says: 'llm_config.api_url is "ftp://example.org": expected an http(s) address.',
  },
  {
    title: "an http address that can't be read",
    args: ["-p", "hi", "--set", "llm_config.api_url=http://[zz/v1"],
    says: 'llm_config.api_url is "http://[zz/v1": expected an http(s) address.',
  },
];

const CONFIGS: readonly { readonly title: string; readonly text: string; readonly says: string }[] = [
  {
    title: "broken JSON",
    text: '{\n  // mine\n  "llm_config": { "api_url" "http://127.0.0.1:1/v1" }\n}\n',
    says: '3:29: colon expected at "\\"http://127.0.0.1:1/v1\\"". Mend the JSON there.',
  },
  {
    title: "JSON that ends too early",
    text: '{ "default_model": ',
    says: '1:20: value expected at "end of file". Mend the JSON there.',
  },
  { title: "an empty file", text: "", says: '1:1: value expected at "end of file". Mend the JSON there.' },
  { title: "a list", text: "[1]", says: "1:1: expected an object { … }, got [1]." },
  {
    title: "a misspelt key",
    text: '{\n  "llm_config": {\n    "api_ulr": "http://127.0.0.1:1/v1",\n  }\n}\n',
    says: "3:5: llm_config.api_ulr is no configuration key. Did you mean llm_config.api_url?",
  },
  {
    title: "a wrong type",
    text: '{ "max_rounds": "5" }',
    says: '1:17: max_rounds is "5": expected number, received string.',
  },
];

const NO_MODEL = `smith: no model is set. Three ways to set one:
  a key:           export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, OPENROUTER_API_KEY)
  a local server:  start one (Ollama, LM Studio, llama.cpp); it is found by itself
  a configuration: smith config set llm_config.api_url http://127.0.0.1:8080/v1 && smith config set default_model ID
`;

/** Nothing on stdout, one line on stderr, no stack, no request. */
async function complaint(here: Place, args: readonly string[], env: Record<string, string> = {}) {
  const end = await here.run(args, { env });
  expect([end.signal, end.stdout]).toEqual([null, ""]);
  const line = end.stderr.replaceAll(here.cwd, "<cwd>").replaceAll(here.home, "<home>");
  return { code: end.code, line };
}

describe("a wrong call is one line on stderr and exit 2", () => {
  for (const { title, args, says } of FLAGS) {
    test(`K4 K5 K2 ${title}`, async () => {
      const llm = await model([]);
      const here = place({ config: llm.config, files: { "a.txt": "" } });
      const { code, line } = await complaint(here, args);
      expect({ code, line: line.replaceAll(llm.url, "<url>") }).toEqual({ code: 2, line: `smith: ${says}\n` });
      expect([llm.requests.length, llm.catalog_requests.length]).toEqual([0, 0]);
    });
  }

  for (const { title, text, says } of CONFIGS) {
    test(`C28 C29 K2 fault 202 in a configuration file: ${title}`, async () => {
      expect(await complaint(place({ config: text }), ["-p", "hi"])).toEqual({
        code: 2,
        line: `smith: <home>/config.json:${says}\n`,
      });
    });
  }

  test("C23 C29 a file named by --config is told by its own name", async () => {
    const here = place({ files: { "mine.json": "{" } });
    const { code, line } = await complaint(here, ["-p", "hi", "--config", "mine.json"]);
    expect([code, line.split(": ")[1]]).toEqual([2, "<cwd>/mine.json:1:2"]);
  });

  test("K9 K2 with nothing configured, or what was configured unset, one message tells the ways to set a model", async () => {
    const configured = place({ config: { llm_config: { api_url: "http://127.0.0.1:1/v1" }, default_model: "m" } });
    const unset = ["--set", "llm_config.api_url=null"];
    for (const end of [await complaint(place(), ["-p", "hi"]), await complaint(configured, ["-p", "hi", ...unset])]) {
      expect(end).toEqual({ code: 2, line: NO_MODEL });
    }
  });

  test("K9 K2 an endpoint that lists two models and was given none", async () => {
    const llm = await model([], { models: ["one", "two"] });
    const here = place({ config: { llm_config: { api_url: llm.url } } });
    const { code, line } = await complaint(here, ["-p", "hi"]);
    expect([code, line]).toEqual([
      2,
      `smith: No model is set for ${llm.url}. It lists one, two. Set default_model, or pass --model ID.\n`,
    ]);
    expect([llm.requests.length, llm.catalog_requests.length]).toEqual([0, 1]);
  });
});

describe("what is no wrong call but fails before an answer is exit 1", () => {
  test("K2 S6 --resume of an unknown conversation", async () => {
    const llm = await model([]);
    const here = place({ config: llm.config });
    for (const id of ["zzzz", "0"]) {
      const { code, line } = await complaint(here, ["-p", "hi", "--resume", id]);
      expect([code, line]).toEqual([
        1,
        `smith: No one conversation of this project is meant by "${id}". --resume latest goes on with the newest.\n`,
      ]);
    }
    expect(llm.requests).toEqual([]);
  });

  test("K2 L30 an endpoint where nothing listens is named", async () => {
    const url = await freeAddress();
    const here = place({ config: { llm_config: { api_url: url, retry_max_retries: 0 }, default_model: "m" } });
    const { code, line } = await complaint(here, ["-p", "hi"]);
    expect([code, line]).toEqual([
      1,
      `smith: m at ${url} (default_model)\nsmith: default at ${url} could not be reached (ECONNREFUSED): nothing listens there. Start the server or check llm_config.api_url.\n`,
    ]);
  });

  test("K2 in json the same failure is a whole result on stdout", async () => {
    const url = await freeAddress();
    const here = place({ config: { llm_config: { api_url: url, retry_max_retries: 0 }, default_model: "m" } });
    const end = await here.run(["-p", "hi", "--output", "json"]);
    const { stop_reason, text, rounds, error } = end.json();
    expect([end.code, stop_reason, text, rounds, error?.kind, error?.code]).toEqual([
      1,
      "error",
      "",
      1,
      "transport",
      "network",
    ]);
    expect(end.stdout).not.toContain("stack");
  });
});

/** Of a port that was free a moment ago. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return `http://127.0.0.1:${address.port}/v1`;
}

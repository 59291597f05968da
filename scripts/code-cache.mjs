// Gives a bundle its code cache: its chunks become scripts (see chunk-loader.mjs), the program is run once against a
// scripted endpoint, and what V8 compiled meanwhile is kept beside them as `code.cache`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transform } from "esbuild";

const scripts = dirname(fileURLToPath(import.meta.url));
const shape = { platform: "node", target: "node20", minifySyntax: true, minifyWhitespace: true, legalComments: "eof" };
const warmUpMs = 20_000;
const cacheName = "code.cache";

/** A chunk as the body of a function. What it imports from outside the bundle is still loaded by Node. */
export async function chunkAsScript(text) {
  const define = { "import.meta.url": "__url", "import.meta.dirname": "__dirname" };
  const { code } = await transform(text, { ...shape, format: "cjs", define });
  if (code.includes("import.meta")) throw new Error("a chunk asks import.meta for what a script has not");
  return code.replace(/\bimport\(/g, "__import(");
}

/** The entry stays an ES module: it brings the loader and calls it. */
export async function entryWithLoader(text) {
  const loader = await transform(readFileSync(join(scripts, "chunk-loader.mjs"), "utf8"), { ...shape, format: "esm" });
  // In a block of its own: `--version` is answered before any of it runs.
  return text.replace(/\bimport\("(\.\/chunk-[A-Z0-9]+\.js)"\)/, (_whole, name) => {
    return `(()=>{${loader.code.trimEnd()}return __chunk("${name}")})()`;
  });
}

/** Runs the program as one-shot and as shell; `undefined` when the cache was made, else why not. */
export async function makeCodeCache(dist, entry) {
  const folder = mkdtempSync(join(tmpdir(), "smith-build-"));
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const home = newHome(folder, server.address().port);
    const pieces = join(folder, "pieces");
    mkdirSync(pieces);
    const program = join(dist, entry);
    for (const [args, keys, more] of ways) {
      const env = { PATH: process.env.PATH, HOME: home, TERM: "xterm-256color", SMITH_CODE_CACHE: pieces, ...more };
      const trouble = await run([program, ...args], keys, { cwd: home, env });
      if (trouble !== undefined) return trouble;
    }
    const temporary = join(dist, `.${cacheName}.${process.pid}`);
    writeFileSync(temporary, joined(pieces), { flush: true }); // V8 does not look whether a page of it is missing
    renameSync(temporary, join(dist, cacheName));
    return undefined;
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What users do most: arguments, keys, variables. */
const ways = [
  [["-p", "build"], "", {}],
  [[], "build\r\u0004", { SMITH_CODE_CACHE_TTY: "1" }],
];

function newHome(folder, port) {
  const home = join(folder, "home");
  const config = join(home, ".config", "smith");
  mkdirSync(config, { recursive: true });
  const llm_config = { api_url: `http://127.0.0.1:${port}/v1` };
  writeFileSync(join(config, "config.json"), JSON.stringify({ llm_config, default_model: "build" }));
  return home;
}

function run(args, keys, place) {
  const hook = pathToFileURL(join(scripts, "code-cache-hook.mjs")).href;
  const child = spawn(process.execPath, ["--import", hook, ...args], { ...place, stdio: "pipe", timeout: warmUpMs });
  let said = "";
  child.stdout.resume();
  child.stderr.on("data", (piece) => {
    said += piece;
  });
  child.stdin.on("error", () => {}); // it need not read
  child.stdin.end(keys);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : `exit code ${code}: ${said.trim()}`));
  });
}

/** The form that chunk-loader.mjs reads: length of the index, index, pieces. */
function joined(folder) {
  const index = {};
  const pieces = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);
  let offset = 0;
  for (const [name, { length }] of pieces) {
    index[`./${name}`] = [offset, length];
    offset += length;
  }
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...pieces.map(([, piece]) => piece)]);
}

const call = { index: 0, id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"true"}' } };

/** Chat Completions: first a call, then a word. */
function answer(request, response) {
  let body = "";
  request.on("data", (piece) => {
    body += piece;
  });
  request.on("end", () => {
    const isSecond = body.includes('"role":"tool"');
    const delta = { role: "assistant", ...(isSecond ? { content: "Done." } : { content: null, tool_calls: [call] }) };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event({ index: 0, delta, finish_reason: null }));
    response.end(`${event({ index: 0, delta: {}, finish_reason: isSecond ? "stop" : "tool_calls" })}data: [DONE]\n\n`);
  });
}

const event = (choice) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 0, model: "build", choices: [choice] })}\n\n`;

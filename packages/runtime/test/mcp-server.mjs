// An MCP server over stdio without any library, that does what its first argument says.
// usage: node mcp-server.mjs '{"log": "FILE", …}'   see `how` below
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const how = JSON.parse(process.argv[2] ?? "{}");
const log = (line) => how.log !== undefined && appendFileSync(how.log, `${line}\n`);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (content) => ({ content: [{ type: "text", text: content }] });
const greet = {
  name: "greet",
  description: "Greets somebody",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const plain = (name) => ({ name, description: name, inputSchema: { type: "object", properties: {} } });
let hangs_once = false; // the next list
let tools = how.tools ?? [greet, ...(how.names ?? []).map(plain)];

log(`started ${process.pid}`);
process.stdout.write(how.banner ?? "");
process.stderr.write(how.stderr ?? "");
if (how.exit !== undefined) process.exit(how.exit);
if (how.grandchild !== undefined) {
  // One in its group, and one that leaves it.
  for (const detached of [false, true]) {
    const child = spawn("sleep", [how.grandchild], { stdio: "ignore", detached });
    log(`child ${child.pid}`);
    child.unref();
  }
}
if (how.deaf) process.on("SIGTERM", () => {});

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "test", version: "1.2.3" },
  }),
  ping: () => (how.no_ping ? undefined : {}),
  "tools/list": ({ cursor = "0" } = {}) => pageOf(Number(cursor)),
  "tools/call": ({ name, arguments: args }) => call(name, args),
};

if (how.unknown !== undefined) delete answers[how.unknown];

/** Pages of `how.page` tools; with `how.circle` they never come to an end. */
function pageOf(from) {
  if (how.page === undefined) return { tools };
  const next = from + how.page;
  const nextCursor = next < tools.length ? String(next) : how.circle ? "0" : undefined;
  return { tools: tools.slice(from, next), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

function call(name, args) {
  switch (name) {
    case "greet":
      return text(`Hello, ${args.name}!`);
    case "env":
      return text(Object.keys(process.env).sort().join(" "));
    case "value":
      return text(String(process.env[args.name]));
    case "args":
      return text(process.argv.slice(3).join(" "));
    case "cwd":
      return text(process.cwd());
    case "raw":
      return args;
    case "die":
      process.stderr.write("I can't go on.\n");
      process.exit(3);
      break;
    case "grow":
      tools = [...tools, plain("grown")];
      say({ method: "notifications/tools/list_changed" });
      hangs_once = how.list_hangs;
      return text("grown");
    case "big":
      return text("x".repeat(args.chars));
    case "flood":
      for (;;)
        if (!process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/x" })}\n`.repeat(1000)))
          break;
      process.stdout.on("drain", () => call("flood"));
      return undefined;
    default:
      return undefined; // it hangs
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  log(`${method}${method === "notifications/cancelled" ? ` ${params.requestId}` : ""}`);
  if (method === "tools/list" && hangs_once) {
    hangs_once = false;
    return;
  }
  if (how.hang === method || id === undefined || method === undefined) return;
  if (how.malformed === method)
    return void process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":\n{"jsonrpc":"2.0","id":${id}}\n`);
  const result = answers[method]?.(params);
  if (answers[method] === undefined) say({ id, error: { code: -32601, message: `no ${method}` } });
  else if (result !== undefined) write({ id, result });
});

/** With `how.split`, in two pieces that part a line, and a character. */
function write(message) {
  if (!how.split) return say(message);
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const at = bytes.findIndex((byte) => byte > 127) + 1 || 20;
  process.stdout.write(bytes.subarray(0, at));
  setTimeout(() => process.stdout.write(bytes.subarray(at)), 5);
}
if (how.stays) setInterval(() => {}, 1000);
else process.stdin.on("end", () => process.exit(0));

import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Script } from "./script.ts";
import { startScriptedLlm } from "./scripted-model.ts";

/** The scripted model on its own, for demos and benchmarks: `node main.js --script steps.json [--port 8080]`. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { script: { type: "string" }, port: { type: "string", default: "0" } } });
  if (values.script === undefined) throw new Error("--script is missing: name a JSON file with a list of steps.");
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port ${values.port} is no port: give a whole number from 0 (any free one) to 65535.`);
  }
  const llm = await startScriptedLlm(JSON.parse(await readFile(values.script, "utf8")) as Script, { port });
  process.stdout.write(`${llm.url}\n`);
  const stop = () => {
    for (const violation of llm.violations) process.stderr.write(`${violation}\n`);
    void llm.close();
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
});

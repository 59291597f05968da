// Preloaded by soak.long.test.ts (`--import`): on SIGUSR2 adds a line to SMITH_PROBE about what the process holds.
import { appendFileSync, readdirSync } from "node:fs";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");

process.on("SIGUSR2", () => {
  gc();
  gc();
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const resources = process.getActiveResourcesInfo();
  const files = readdirSync("/proc/self/fd").length;
  const { heapUsed: heap, rss } = process.memoryUsage();
  appendFileSync(process.env.SMITH_PROBE, `${JSON.stringify({ heap, rss, listeners, resources, files })}\n`);
});

// Loaded into every measured process before its own code: at its end it writes what it used, for the bench to read.
// The memory is the kernel's high-water mark of this very program; getrusage would count what the parent had.
const { readFileSync, writeFileSync } = require("node:fs");

function peakRssKb() {
  try {
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"));
    return line === null ? null : Number(line[1]);
  } catch {
    return null; // no Linux: the table shows a dash
  }
}

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.SMITH_BENCH_USAGE, JSON.stringify({ rss_kb: peakRssKb(), cpu_us: user + system }));
});

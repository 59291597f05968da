import { closeSync } from "node:fs";

declare const __SMITH_VERSION__: string;

/** The version of package.json, put in by the build. */
const version = (): string => (typeof __SMITH_VERSION__ === "string" ? __SMITH_VERSION__ : "0.0.0-source");

/** Exit code of SIGHUP. */
const HUNG_UP = 129;

// A closed reader (`smith … | head -1`) is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EIO" && process.listenerCount("SIGHUP") > 0) return; // a terminal that hung up: the signal says so
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
process.stderr.on("error", () => {}); // nobody listens: nothing to tell them

// Node wants to restore a terminal as it leaves, and aborts where that has hung up: what is closed it leaves alone.
process.on("exit", (code) => {
  if (code === HUNG_UP) for (const fd of [0, 1, 2]) closeQuietly(fd);
});

const argv = process.argv.slice(2);
if (process.platform === "win32") {
  process.stderr.write("smith: Windows is not supported. Use WSL or a Linux or macOS machine.\n");
  process.exitCode = 2;
} else if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
  process.stdout.write(`${version()}\n`); // nothing else is loaded for it
} else {
  const { runCli } = await import("./cli.ts");
  await runCli(argv, version());
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // closed already
  }
}

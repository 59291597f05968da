import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const bin = (name: string) => join(root, "node_modules/.bin", name);

/** What a program came to. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty npm project somewhere else, with the packed tarballs installed. */
export interface PackedProject {
  readonly dir: string;
  readonly tarballs: readonly string[];
  write(files: Readonly<Record<string, string>>): void;
  /** Compiles the project's TypeScript, with every check there is; null when it is clean. */
  compile(): Promise<string | null>;
  /** Runs a program in it, without a key or a configuration of whoever runs the tests. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): void;
}

/** Whether packages can be fetched. */
export function isOnline(): boolean {
  try {
    execFileSync("npm", ["view", "zod@4.6.7", "version", "--fetch-retries=0", "--fetch-timeout=5000"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

/** Programs that a test which ran out of time has left running. */
const running = new Set<ChildProcess>();

/** Packs and installs; no install script has run yet. */
export async function packedProject(): Promise<PackedProject> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "smith-packed-")));
  const home = join(dir, "home");
  const run: PackedProject["run"] = (program, args, env = {}) => {
    const { PATH = "", HOME = "" } = process.env;
    const base = program === "npm" ? { ...process.env } : { PATH, HOME, SMITH_HOME: home, SMITH_NO_PROBE: "1" };
    return ended(program, args, { cwd: dir, env: { ...base, ...env } });
  };
  const write: PackedProject["write"] = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
  };
  const packed = await run(process.execPath, [join(root, "scripts/pack.mjs"), join(dir, "tarballs")]);
  if (packed.code !== 0) throw new Error(`scripts/pack.mjs: ${packed.stderr}`);
  const tarballs = packed.stdout.trim().split("\n");
  write({
    "package.json": JSON.stringify({ name: "fresh", private: true, type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...{ target: "es2023", lib: ["es2023", "esnext.disposable"], module: "nodenext", types: ["node"] },
        ...{ strict: true, exactOptionalPropertyTypes: true, outDir: "out", rootDir: "." },
      },
      include: ["*.ts"],
    }),
  });
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const installed = await run("npm", ["install", ...quiet, ...tarballs, "zod@4.6.7", "@types/node@20.19.43"]);
  if (installed.code !== 0) throw new Error(`npm install: ${installed.stderr}`);
  return {
    ...{ dir, tarballs, write, run },
    async compile() {
      const { code, stdout } = await run(bin("tsc"), ["-p", "."]);
      return code === 0 ? null : stdout;
    },
    remove() {
      for (const child of running) child.kill("SIGKILL");
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The programs of the workspace that look at a tarball. */
export const inspect = (name: "publint" | "attw", args: readonly string[]): Promise<Ended> =>
  ended(bin(name), args, { cwd: root, env: process.env });

function ended(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

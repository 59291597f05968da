import { execFile } from "node:child_process";
import type { Check } from "@smith/contract/doctor";
import { bad, fair, good } from "./check.ts";
import type { Patient } from "./doctor.ts";

const OLDEST_NODE = [20, 19] as const;

export async function node(): Promise<readonly Check[]> {
  const { node: version } = process.versions;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const oldest = OLDEST_NODE.join(".");
  return [
    isNew
      ? good("node", version)
      : bad("node", `${version} is older than ${oldest}`, `Install Node ${oldest} or newer.`),
  ];
}

export async function system(): Promise<readonly Check[]> {
  const name = `${process.platform} ${process.arch}`;
  if (process.platform === "linux") return [good("system", name)];
  if (process.platform === "darwin")
    return [fair("system", name, "Smith is tested on Linux; tell us what does not work here.")];
  return [bad("system", `${name} is not supported`, "Use Linux, macOS or WSL 2.")];
}

/** The database driver is native code: built for another Node it can't be loaded. */
export async function sqlite(): Promise<readonly Check[]> {
  const { openStore } = await import("@smith/store");
  const { store } = await openStore({ file: null, now: Date.now }); // throws with the mend when the driver is missing
  await store.close();
  return [good("sqlite", "the native module loads")];
}

export async function git({ env }: Patient): Promise<readonly Check[]> {
  const version = await firstLine("git", ["--version"], env);
  if (version !== null) return [good("git", version)];
  return [
    bad("git", "there is no git on the PATH", "Install git: projects are told apart by it, and the git tool needs it."),
  ];
}

export async function ripgrep({ env }: Patient): Promise<readonly Check[]> {
  const { findRipgrep } = await import("@smith/tools");
  const version = await firstLine(await findRipgrep(), ["--version"], env);
  if (version !== null) return [good("ripgrep", version)];
  return [
    fair(
      "ripgrep",
      "it can't be started; the code tools search without it, slower",
      "Install ripgrep (rg), or reinstall Smith.",
    ),
  ];
}

/** The first line that a program prints; null when it can't be run. */
function firstLine(program: string, args: readonly string[], env: Patient["env"]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...env }, timeout: 5000 }, (error, stdout) => {
      resolve(error === null ? (stdout.split("\n", 1)[0] ?? "") : null);
    });
  });
}

/** What the shell can do here. Nothing of it is needed: pipes and jobs have no terminal. */
export async function terminal({ env }: Patient): Promise<readonly Check[]> {
  const { stdin, stdout } = process;
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    return [good("terminal", "none: input or output is no terminal, so lines are read plainly")];
  const colour = env["NO_COLOR"] || env["TERM"] === "dumb" ? "no colour" : "colour";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const detail = `${env["TERM"] || "TERM is not set"}, ${stdout.columns ?? "?"}×${stdout.rows ?? "?"}, ${colour}, locale ${locale || "not set"}`;
  if (!env["TERM"] || env["TERM"] === "dumb")
    return [fair("terminal", detail, "Set TERM to what your terminal is, as xterm-256color.")];
  if (!/utf-?8/i.test(locale))
    return [fair("terminal", detail, "Set LANG to a UTF-8 locale, as C.UTF-8: else wide characters may be misdrawn.")];
  return [good("terminal", detail)];
}

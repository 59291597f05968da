import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type RecordedRequest,
  type Script,
  type ScriptedLlm,
  type ScriptedLlmOptions,
  startScriptedLlm,
} from "@smith/testkit";
import { onTestFinished } from "vitest";
import { ensureBuilt, SMITH } from "./built.ts";
import { leftBehind, MARK, markedPids } from "./left-behind.ts";
import { type Ended, kill, type Running, type RunOptions, start } from "./running.ts";

export interface PlaceOptions {
  /** Written into the working directory, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Written beside the user's configuration, by name. */
  readonly beside?: Readonly<Record<string, string>>;
  /** The user's configuration: an object, or the very text; default: none. */
  readonly config?: object | string;
  /** Makes the working directory a git repository with everything committed. */
  readonly git?: boolean;
}

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly database: string;
  smith(args: readonly string[], options?: RunOptions): Running;
  /** Runs to the end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  read(path: string): string;
  /** Command lines of the processes that live on and were started, at whatever distance, by a smith of this place. */
  leftBehind(): Promise<readonly string[]>;
}

/** A fresh home and working directory, gone when the test is over, with every process that was started there. */
export function place(options: PlaceOptions = {}): Place {
  ensureBuilt();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-cli-")));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  for (const [path, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  for (const [name, text] of Object.entries(options.beside ?? {})) writeFileSync(join(home, name), text);
  const { config } = options;
  if (config !== undefined) {
    writeFileSync(join(home, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
  }
  if (options.git === true) commitAll(cwd);
  const mark = randomBytes(8).toString("hex");
  onTestFinished(() => {
    for (const pid of markedPids(mark)) kill(pid, "SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });
  const smith = (args: readonly string[], run: RunOptions = {}): Running => {
    // Nothing of the developer's own environment gets in: no keys, no NODE_OPTIONS, no colours.
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      SMITH_HOME: home,
      SMITH_NO_PROBE: "1",
      [MARK]: mark,
      ...run.env,
    };
    return start([...(run.node ?? []), SMITH, ...args], { ...run, env, cwd: run.cwd ?? cwd });
  };
  return {
    home,
    cwd,
    database: join(home, "smith.db"),
    smith,
    run: (args, run) => smith(args, run).ended,
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    leftBehind: () => leftBehind(mark),
  };
}

/** A scripted model that is closed, and then checked, when the test is over; and a configuration that names it. */
export async function model(script: Script, options?: ScriptedLlmOptions): Promise<ScriptedLlm & { config: object }> {
  const llm = await startScriptedLlm(script, options);
  onTestFinished(() => llm[Symbol.asyncDispose]());
  return { ...llm, config: { llm_config: { api_url: llm.url }, default_model: "scripted" } };
}

export interface WireMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** The conversation in a request: all but the system message. */
export function conversationIn(request: RecordedRequest | undefined): readonly WireMessage[] {
  if (request === undefined) throw new Error("no such request came");
  return (request.body as { messages: readonly WireMessage[] }).messages.slice(1);
}

/** Whether a program is installed here. */
export const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

function commitAll(cwd: string): void {
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    [...who, "commit", "-q", "--allow-empty", "-m", "start"],
  ]) {
    execFileSync("git", args, { cwd, stdio: "ignore" });
  }
}

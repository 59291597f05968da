import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { ToolContext } from "@smith/contract/tool";
import { createGit, type GitOptions } from "../src/git/git.ts";
import { scene } from "./scene.ts";

/** Time and people are the same in every run. */
const PERSON = {
  ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@localhost", GIT_AUTHOR_DATE: "2030-01-01T00:00:00Z" },
  ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@localhost", GIT_COMMITTER_DATE: "2030-01-01T00:00:00Z" },
  ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
};

/** A temp folder with git in it, and the tool over it. */
export function repository(options: Partial<GitOptions> = {}) {
  const base = scene();
  const home = base.path("home");
  const root = base.path("repo");
  base.put("home/.gitconfig", "");
  base.put("repo/a.txt", "one\ntwo\n");
  /** Plain git, as a user runs it. */
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: { ...process.env, ...PERSON }, encoding: "utf8", stdio: "pipe" });
  const over = ({ env, ...rest }: Partial<GitOptions>) => {
    const tool = createGit({ env: { PATH: process.env["PATH"], HOME: home, ...env }, ...rest });
    const ask = async (subcommand: string, args: readonly string[] = [], context: Partial<ToolContext> = {}) => {
      const checked = tool.schema.parse({ subcommand, args: [...args] });
      return await tool.run(checked, base.context({ cwd: root, project_root: root, ...context }));
    };
    return {
      ask,
      /** The lines of a success; the code of a failure. */
      async lines(subcommand: string, args: readonly string[] = [], context: Partial<ToolContext> = {}) {
        const { ok, content, error } = await ask(subcommand, args, context);
        return ok ? content.split("\n") : [error?.code ?? ""];
      },
    };
  };
  return {
    ...base,
    ...over(options),
    root,
    home,
    git,
    /** The same repository with another tool over it. */
    with: over,
    init(): void {
      git("init", "-q", "-b", "main");
      git("add", "-A");
      git("commit", "-q", "-m", "first");
    },
    put: (name: string, content: string) => base.put(join("repo", name), content),
  };
}

/** Every file below a folder with a hash of its bytes, `.git` too. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const stats = lstatSync(path);
    const content = stats.isFile() ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : "";
    found[path] = `${stats.mode} ${createHash("sha256").update(content).digest("hex")}`;
  }
  return found;
}
